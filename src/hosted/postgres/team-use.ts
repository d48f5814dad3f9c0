// What teams use, signed-in browsers, and the audit log, in PostgreSQL.
import type { AuditRow, AuditWanted, Used, WorldSize } from "../teams/team-rows.ts";
import type { Database } from "./connection.ts";
import { instant, teamRows } from "./team-rows.ts";

const MINUTE = "date_trunc('minute', now())";
/** Rows of minutes that are over; only the latest are ever read. */
const RETENTION = "interval '1 hour'";

/** All that is stored of teams, whichever file has its statements. */
export type TeamStore = ReturnType<typeof teamStore>;

export const teamStore = (database: Database) => ({
  ...teamRows(database),
  ...sessionRows(database),
  ...useRows(database),
  ...auditRows(database),
});

function sessionRows({ query }: Database) {
  return {
    /** `token`: the hash of the token that was shown; null for that of the operator. */
    async openSession({ hash, token, seconds }: { hash: string; token: string | null; seconds: number }) {
      // Old ones are removed whenever somebody signs in: no timer is needed.
      await query("delete from sessions where expires_at <= now()");
      await query(
        `insert into sessions (hash, token, expires_at)
         values (decode($1, 'hex'), decode($2, 'hex'), now() + make_interval(secs => $3::float8))`,
        [hash, token, seconds],
      );
    },
    async findSession(hash: string) {
      const { rows } = await query<{ token: string | null }>(
        "select encode(token, 'hex') as token from sessions where hash = decode($1, 'hex') and expires_at > now()",
        [hash],
      );
      return rows[0];
    },
    async closeSession(hash: string) {
      await query("delete from sessions where hash = decode($1, 'hex')", [hash]);
    },
  };
}

/** Its commits and checkpoints as they are stored, which is what they take. */
const SIZE = `(select coalesce(sum(pg_column_size(s.body)), 0) from snapshots s where s.world = w.id)
  + (select coalesce(sum(pg_column_size(j.record)), 0) from journal j where j.world = w.id)`;

function useRows({ query }: Database) {
  return {
    /** Undefined: there is no such world. */
    async teamOf(world: string) {
      const { rows } = await query<{ team: string | null }>("select team from worlds where id = $1", [world]);
      return rows[0];
    },
    async countWorlds(team: string) {
      const { rows } = await query<{ count: number }>("select count(*)::int as count from worlds where team = $1", [
        team,
      ]);
      return rows[0]?.count ?? 0;
    },
    /** The worlds of a team with what they take, the largest first. */
    async sizes(team: string) {
      const { rows } = await query<WorldSize>(
        `select w.id, (${SIZE})::float8 as bytes from worlds w where w.team = $1
         order by 2 desc, 1`,
        [team],
      );
      return rows;
    },
    /** Adds what this node has counted in minutes since 1970, and returns the totals of all nodes. */
    async addUsed(used: readonly (Used & { minute: number })[]) {
      // In one order on every node, so that two never wait for each other.
      const sorted = [...used].sort((a, b) => (a.team < b.team ? -1 : 1));
      const { rows } = await query<Used>(
        `insert into used (team, minute, requests, attempts)
         select u.team, to_timestamp(u.minute * 60), u.requests, 0
         from unnest($1::text[], $2::bigint[], $3::bigint[]) as u (team, minute, requests)
         where exists (select 1 from teams where id = u.team)
         on conflict (team, minute) do update set requests = used.requests + excluded.requests
         returning team, requests::float8 as requests`,
        [sorted.map(({ team }) => team), sorted.map(({ minute }) => minute), sorted.map(({ requests }) => requests)],
      );
      await query(`delete from used where minute < ${MINUTE} - ${RETENTION} and team = any($1::text[])`, [
        sorted.map(({ team }) => team),
      ]);
      return rows;
    },
    /** In this minute. */
    async used(team: string) {
      const { rows } = await query<Used>(
        `select team, requests::float8 as requests from used
         where team = $1 and minute = ${MINUTE}`,
        [team],
      );
      return rows[0] ?? { team, requests: 0 };
    },
  };
}

/** What was refused may have one, and a text in PostgreSQL can't. */
const withoutNul = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);

function auditRows({ query }: Database) {
  return {
    async addAudit(rows: readonly Omit<AuditRow, "at">[]) {
      const texts = (name: "team" | "subject" | "token" | "action" | "world") =>
        rows.map((row) => withoutNul(row[name]));
      await query(
        `insert into audit (team, subject, token, action, world, status, detail)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[])`,
        [
          ...(["team", "subject", "token", "action", "world"] as const).map(texts),
          rows.map(({ status }) => status),
          rows.map(({ detail }) => JSON.stringify(detail, (_, value) => withoutNul(value))),
        ],
      );
    },
    // By id and backwards: a page stays the same while new entries are written.
    async audit({ limit, ...wanted }: AuditWanted) {
      const names = ["team", "subject", "token", "action", "world", "since", "until", "before"] as const;
      const { rows } = await query<AuditRow & { id: string }>(
        `select id::text, ${instant("at")} as at, team, subject, token, action, world, status, detail from audit
         where ($1::text is null or team = $1) and ($2::text is null or subject = $2)
           and ($3::text is null or token = $3) and ($4::text is null or action = $4)
           and ($5::text is null or world = $5) and ($6::timestamptz is null or at >= $6)
           and ($7::timestamptz is null or at < $7) and ($8::bigint is null or id < $8)
         order by audit.id desc limit $9`,
        [...names.map((name) => wanted[name] ?? null), limit],
      );
      return rows;
    },
  };
}
