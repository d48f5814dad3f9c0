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

/** ISO 8601 in UTC with milliseconds. `column` is never a value of a client. */
export const formatInstant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const selectInstant = (column: string): string => `${formatInstant(column)} as ${column}`;

/** Quotas of earlier versions. */
const REMOVED_QUOTAS = "array['bytes_per_world', 'webhook_attempts_per_minute', 'unused_days']";
const TEAM = `id, name, quotas - ${REMOVED_QUOTAS} as quotas, targets, ${selectInstant("created_at")}`;
const MEMBER = `subject, role, ${selectInstant("created_at")}`;
/** Twelve hex digits of the hash name a token in lists and in the audit log, and can't be used as a token. */
const TOKEN_ID = "left(encode(hash, 'hex'), 12)";
/** The roles, lowest rights first. */
const RANKS = "array['viewer', 'developer', 'owner']";
/** The lesser of the token's role and of its subject's in the team, which may be lower now. */
const ROLE = `(${RANKS})[least(array_position(${RANKS}, role), (
  select array_position(${RANKS}, m.role) from members m where m.team = tokens.team and m.subject = tokens.subject))]`;
const TOKEN = `${TOKEN_ID} as id, team, subject, ${ROLE} as role, ${["created_at", "expires_at", "revoked_at", "used_at"].map(selectInstant).join(", ")}`;

/** Each method is one statement or one transaction. */
export function createTeamRows({ query, transaction }: Database) {
  return {
    teams: (only?: string) =>
      query<TeamRow>(`select ${TEAM} from teams where $1::text is null or id = $1 order by id`, [only ?? null]),
    /** Returns undefined if there is a team or a world of this id, which is also that of the team's default world. */
    async addTeam({ id, name, quotas }: Pick<TeamRow, "id" | "name" | "quotas">) {
      const [team] = await query<TeamRow>(
        `insert into teams (id, name, quotas) select $1, $2, $3
         where not exists (select 1 from worlds where id = $1) on conflict do nothing returning ${TEAM}`,
        [id, name, JSON.stringify(quotas)],
      );
      return team;
    },
    /** Returns the number of worlds that prevent it, or undefined if there is no such team. */
    removeTeam: (id: string) => transaction((run) => removeTeam(run, id)),
    /** Another change waits until this one is written. `change` must not throw. Returns undefined if there is no such team. */
    changeTeam: (id: string, change: TeamChange) => transaction((run) => changeTeam(run, id, change)),
    members: (team: string) =>
      query<MemberRow>(`select ${MEMBER} from members where team = $1 order by subject`, [team]),
    async setMember(team: string, subject: string, role: TeamRole) {
      const [member] = await query<MemberRow>(
        `insert into members (team, subject, role) values ($1, $2, $3)
         on conflict (team, subject) do update set role = excluded.role returning ${MEMBER}`,
        [team, subject, role],
      );
      return member as MemberRow;
    },
    /** Revokes the tokens of the member too. Returns whether there was such a member. */
    async removeMember(team: string, subject: string) {
      const removed = await query(
        `with revoked as (
           update tokens set revoked_at = now() where team = $1 and subject = $2 and revoked_at is null
         ) delete from members where team = $1 and subject = $2 returning subject`,
        [team, subject],
      );
      return removed.length > 0;
    },
  };
}

/** Tokens of teams. The database stores only their hashes. */
export function createTokenRows({ query, transaction }: Database) {
  return {
    tokens: (team: string) =>
      query<TokenRow>(`select ${TOKEN} from tokens where team = $1 order by tokens.created_at desc`, [team]),
    /** A subject that is no member becomes one. */
    addToken: (token: NewTokenRow) => transaction((run) => addToken(run, token)),
    /** Keeps the time of the first revocation, which the audit log has. Returns whether there is such a token. */
    async revokeToken(team: string, id: string) {
      const revoked = await query(
        `update tokens set revoked_at = coalesce(revoked_at, now()) where team = $1 and ${TOKEN_ID} = $2 returning team`,
        [team, id],
      );
      return revoked.length > 0;
    },
    async findToken(hash: string) {
      const [token] = await query<FoundToken>(
        `select ${TOKEN}, coalesce(expires_at <= now(), false) as expired, ${formatInstant("now()")} as now,
                exists (select 1 from members m where m.team = tokens.team and m.subject = tokens.subject) as is_member
         from tokens where hash = decode($1, 'hex') and team is not null`,
        [hash],
      );
      return token;
    },
    /** Writes at most once a minute over all nodes. */
    async recordUse(hash: string) {
      await query(
        `update tokens set used_at = now() where hash = decode($1, 'hex')
         and (used_at is null or used_at < now() - interval '1 minute')`,
        [hash],
      );
    },
  };
}

async function removeTeam(query: Query, id: string): Promise<number | undefined> {
  const [team] = await query("select 1 from teams where id = $1 for update", [id]);
  if (!team) return undefined;
  const [worlds] = await query<{ count: number }>("select count(*)::int as count from worlds where team = $1", [id]);
  const count = worlds?.count ?? 0;
  if (count === 0) await query("delete from teams where id = $1", [id]);
  return count;
}

async function changeTeam(query: Query, id: string, change: TeamChange): Promise<TeamRow | undefined> {
  const [team] = await query<TeamRow>(`select ${TEAM} from teams where id = $1 for update`, [id]);
  if (!team) return undefined;
  const { quotas, targets } = { ...team, ...change(team) };
  const update = `update teams set quotas = $2, targets = $3 where id = $1 returning ${TEAM}`;
  const [changed] = await query<TeamRow>(update, [id, JSON.stringify(quotas), targets]);
  return changed;
}

async function addToken(query: Query, { hash, team, subject, role, seconds }: NewTokenRow): Promise<TokenRow> {
  const addMember = "insert into members (team, subject, role) values ($1, $2, $3) on conflict do nothing";
  await query(addMember, [team, subject, role]);
  const [row] = await query<TokenRow>(
    `insert into tokens (hash, team, subject, role, expires_at)
     values (decode($1, 'hex'), $2, $3, $4, now() + make_interval(secs => $5::float8)) returning ${TOKEN}`,
    [hash, team, subject, role, seconds],
  );
  return row as TokenRow;
}
