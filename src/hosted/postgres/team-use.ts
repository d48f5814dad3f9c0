// The use of teams, signed-in browsers, and the audit log in PostgreSQL.
import type { AuditRow, AuditWanted, Used, WorldSize } from "../teams/team-rows.ts";
import type { Database } from "./connection.ts";
import { createTeamRows, createTokenRows, formatInstant } from "./team-rows.ts";

const MINUTE = "date_trunc('minute', now())";
/** Rows of earlier minutes are not read. */
const RETENTION = "interval '1 hour'";

/** All that is stored about teams. */
export type TeamStore = ReturnType<typeof createTeamStore>;

export const createTeamStore = (database: Database) => ({
  ...createTeamRows(database),
  ...createTokenRows(database),
  ...createSessionRows(database),
  ...createUseRows(database),
  ...createAuditRows(database),
});

function createSessionRows({ query }: Database) {
  return {
    /** `token`: the hash of the token that was sent; null for that of the operator. */
    async openSession({ hash, token, seconds }: { hash: string; token: string | null; seconds: number }) {
      // Each sign-in removes old sessions, so no timer is needed.
      await query("delete from sessions where expires_at <= now()");
      await query(
        `insert into sessions (hash, token, expires_at)
         values (decode($1, 'hex'), decode($2, 'hex'), now() + make_interval(secs => $3::float8))`,
        [hash, token, seconds],
      );
    },
    async findSession(hash: string) {
      const [session] = await query<{ token: string | null }>(
        "select encode(token, 'hex') as token from sessions where hash = decode($1, 'hex') and expires_at > now()",
        [hash],
      );
      return session;
    },
    closeSession: (hash: string) => query("delete from sessions where hash = decode($1, 'hex')", [hash]),
  };
}

/** The bytes of a world as they are stored. */
const SIZE = `(select coalesce(sum(pg_column_size(s.body)), 0) from snapshots s where s.world = w.id)
  + (select coalesce(sum(pg_column_size(j.record)), 0) from journal j where j.world = w.id)`;

function createUseRows({ query }: Database) {
  return {
    /** Returns undefined if there is no such world. */
    async findTeam(world: string) {
      const [found] = await query<{ team: string | null }>("select team from worlds where id = $1", [world]);
      return found;
    },
    async countWorlds(team: string) {
      const sql = "select count(*)::int as count from worlds where team = $1";
      const [worlds] = await query<{ count: number }>(sql, [team]);
      return worlds?.count ?? 0;
    },
    /** Returns the worlds of a team with their bytes, the largest first. */
    sizes: (team: string) =>
      query<WorldSize>(
        `select w.id, (${SIZE})::float8 as bytes from worlds w where w.team = $1
         order by 2 desc, 1`,
        [team],
      ),
    /** Adds what this node has counted, by minutes since 1970, and returns the totals of all nodes. */
    async addUsed(used: readonly (Used & { minute: number })[]) {
      // All nodes use the same order, so that two never wait for each other.
      const sorted = [...used].sort((a, b) => (a.team < b.team ? -1 : 1));
      const teams = sorted.map(({ team }) => team);
      const totals = await query<Used>(
        `insert into used (team, minute, requests, attempts)
         select u.team, to_timestamp(u.minute * 60), u.requests, 0
         from unnest($1::text[], $2::bigint[], $3::bigint[]) as u (team, minute, requests)
         where exists (select 1 from teams where id = u.team)
         on conflict (team, minute) do update set requests = used.requests + excluded.requests
         returning team, requests::float8 as requests`,
        [teams, sorted.map(({ minute }) => minute), sorted.map(({ requests }) => requests)],
      );
      await query(`delete from used where minute < ${MINUTE} - ${RETENTION} and team = any($1::text[])`, [teams]);
      return totals;
    },
    /** Returns the requests of a team in this minute. */
    async countRequests(team: string) {
      const sql = `select team, requests::float8 as requests from used where team = $1 and minute = ${MINUTE}`;
      const [used] = await query<Used>(sql, [team]);
      return used?.requests ?? 0;
    },
  };
}

/** A text of PostgreSQL can't have a NUL, but a rejected request may have one. */
const replaceNul = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);

function createAuditRows({ query }: Database) {
  return {
    async addAudit(rows: readonly Omit<AuditRow, "at">[]) {
      const texts = (["team", "subject", "token", "action", "world"] as const).map((name) =>
        rows.map((row) => replaceNul(row[name])),
      );
      const details = rows.map(({ detail }) => JSON.stringify(detail, (_, value) => replaceNul(value)));
      await query(
        `insert into audit (team, subject, token, action, world, status, detail)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[])`,
        [...texts, rows.map(({ status }) => status), details],
      );
    },
    // The order is descending by id, so that a page stays the same while new entries are written.
    audit({ limit, ...wanted }: AuditWanted) {
      const names = ["team", "subject", "token", "action", "world", "since", "until", "before"] as const;
      return query<AuditRow & { id: string }>(
        `select id::text, ${formatInstant("at")} as at, team, subject, token, action, world, status, detail from audit
         where ($1::text is null or team = $1) and ($2::text is null or subject = $2)
           and ($3::text is null or token = $3) and ($4::text is null or action = $4)
           and ($5::text is null or world = $5) and ($6::timestamptz is null or at >= $6)
           and ($7::timestamptz is null or at < $7) and ($8::bigint is null or id < $8)
         order by audit.id desc limit $9`,
        [...names.map((name) => wanted[name] ?? null), limit],
      );
    },
  };
}
