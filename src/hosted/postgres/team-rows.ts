// Teams, members and tokens in PostgreSQL.
import type {
  FoundToken,
  MemberRow,
  NewTokenRow,
  TeamChange,
  TeamRole,
  TeamRow,
  TokenRow,
} from "../teams/team-rows.ts";
import type { Database, Query } from "./connection.ts";

/** ISO 8601 in UTC with milliseconds. The column's name is ours, never a client's. */
export const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const named = (column: string): string => `${instant(column)} as ${column}`;

/** Quotas that earlier versions had. */
const REMOVED_QUOTAS = "array['bytes_per_world', 'webhook_attempts_per_minute', 'unused_days']";
const TEAM = `id, name, quotas - ${REMOVED_QUOTAS} as quotas, targets, ${named("created_at")}`;
const MEMBER = `subject, role, ${named("created_at")}`;
/** Twelve hex digits of the hash: enough to name a token in a list and in the audit log, and useless as a token. */
const TOKEN_ID = "left(encode(hash, 'hex'), 12)";
/** By rising rights. */
const RANKS = "array['viewer', 'developer', 'owner']";
/** What counts: the lesser of the token's role and of its subject's in the team, which may be lower by now. */
const ROLE = `(${RANKS})[least(array_position(${RANKS}, role), (
  select array_position(${RANKS}, m.role) from members m where m.team = tokens.team and m.subject = tokens.subject))]`;
const TOKEN = `${TOKEN_ID} as id, team, subject, ${ROLE} as role, ${["created_at", "expires_at", "revoked_at", "used_at"].map(named).join(", ")}`;

/** Each method is one statement or one transaction. Tokens are stored as hashes only. */
export function teamRows(database: Database) {
  const { query } = database;
  const list = async <R extends object>(sql: string, values: readonly unknown[]) => (await query<R>(sql, values)).rows;
  const first = async <R extends object>(sql: string, values: readonly unknown[]) => (await list<R>(sql, values))[0];
  const changed = async (sql: string, values: readonly unknown[]) => (await query(sql, values)).rowCount > 0;
  return {
    teams: (only?: string) =>
      list<TeamRow>(`select ${TEAM} from teams where $1::text is null or id = $1 order by id`, [only ?? null]),
    /** Undefined: there is a team, or a world, of this id, which is that of the team's default world. */
    addTeam: ({ id, name, quotas }: Pick<TeamRow, "id" | "name" | "quotas">) =>
      first<TeamRow>(
        `insert into teams (id, name, quotas) select $1, $2, $3
         where not exists (select 1 from worlds where id = $1) on conflict do nothing returning ${TEAM}`,
        [id, name, JSON.stringify(quotas)],
      ),
    removeTeam: (id: string) => database.transaction((run) => removeTeam(run, id)),
    /** Another change waits until this one is written. `change` must not throw. Undefined: there is no such team. */
    changeTeam: (id: string, change: TeamChange) => database.transaction((run) => changeTeam(run, id, change)),
    members: (team: string) =>
      list<MemberRow>(`select ${MEMBER} from members where team = $1 order by subject`, [team]),
    setMember: async (team: string, subject: string, role: TeamRole) =>
      (await first<MemberRow>(
        `insert into members (team, subject, role) values ($1, $2, $3)
         on conflict (team, subject) do update set role = excluded.role returning ${MEMBER}`,
        [team, subject, role],
      )) as MemberRow,
    // With their tokens, or somebody who has left could go on with one.
    removeMember: (team: string, subject: string) =>
      database.transaction(async (run) => {
        const revoke = "update tokens set revoked_at = now() where team = $1 and subject = $2 and revoked_at is null";
        await run(revoke, [team, subject]);
        const { rowCount } = await run("delete from members where team = $1 and subject = $2", [team, subject]);
        return rowCount > 0;
      }),
    tokens: (team: string) =>
      list<TokenRow>(`select ${TOKEN} from tokens where team = $1 order by tokens.created_at desc`, [team]),
    /** A subject that is no member becomes one. */
    addToken: (token: NewTokenRow) => database.transaction((run) => addToken(run, token)),
    // The first revocation holds: the audit log points at it.
    revokeToken: (team: string, id: string) =>
      changed(`update tokens set revoked_at = coalesce(revoked_at, now()) where team = $1 and ${TOKEN_ID} = $2`, [
        team,
        id,
      ]),
    findToken: (hash: string) =>
      first<FoundToken>(
        `select ${TOKEN}, coalesce(expires_at <= now(), false) as expired, ${instant("now()")} as now,
                exists (select 1 from members m where m.team = tokens.team and m.subject = tokens.subject) as is_member
         from tokens where hash = decode($1, 'hex') and team is not null`,
        [hash],
      ),
    // Once a minute at most, which the statement itself holds across nodes.
    async tokenUsed(hash: string) {
      await query(
        `update tokens set used_at = now() where hash = decode($1, 'hex')
         and (used_at is null or used_at < now() - interval '1 minute')`,
        [hash],
      );
    },
  };
}

/** The number of its worlds that stand in the way. Undefined: there is no such team. */
async function removeTeam(query: Query, id: string): Promise<number | undefined> {
  const { rowCount } = await query("select 1 from teams where id = $1 for update", [id]);
  if (rowCount === 0) return undefined;
  const { rows } = await query<{ count: number }>("select count(*)::int as count from worlds where team = $1", [id]);
  const [{ count = 0 } = {}] = rows;
  if (count === 0) await query("delete from teams where id = $1", [id]);
  return count;
}

async function changeTeam(query: Query, id: string, change: TeamChange): Promise<TeamRow | undefined> {
  const {
    rows: [team],
  } = await query<TeamRow>(`select ${TEAM} from teams where id = $1 for update`, [id]);
  if (!team) return undefined;
  const { quotas, targets } = { ...team, ...change(team) };
  const update = `update teams set quotas = $2, targets = $3 where id = $1 returning ${TEAM}`;
  return (await query<TeamRow>(update, [id, JSON.stringify(quotas), targets])).rows[0];
}

async function addToken(query: Query, token: NewTokenRow): Promise<TokenRow> {
  const { hash, team, subject, role, seconds } = token;
  await query("insert into members (team, subject, role) values ($1, $2, $3) on conflict do nothing", [
    team,
    subject,
    role,
  ]);
  const { rows } = await query<TokenRow>(
    `insert into tokens (hash, team, subject, role, expires_at)
     values (decode($1, 'hex'), $2, $3, $4, now() + make_interval(secs => $5::float8)) returning ${TOKEN}`,
    [hash, team, subject, role, seconds],
  );
  return rows[0] as TokenRow;
}
