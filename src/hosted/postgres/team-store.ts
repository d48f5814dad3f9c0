// Teams, members, tokens, signed-in browsers, the use of quotas, and the audit log in PostgreSQL. Instants are ISO
// 8601, hashes are hexadecimal.
import type { Schemas } from "../../contract/schemas.ts";
import { type Database, type Query, replaceNul } from "./connection.ts";

export type TeamRole = Schemas["TeamRole"];

/** The default world of a team has its id. */
export type Team = Schemas["Team"];
type ControlToken = Schemas["ControlToken"];

/**
 * The current row of a token that was sent. `is_member`: its subject is still in the team. `is_unused`: it was not used
 * within a minute.
 */
export type FoundToken = ControlToken & { team: string; is_member: boolean; expired: boolean; is_unused: boolean };
/** `seconds` until it expires; null: never. */
export type NewToken = Pick<FoundToken, "team" | "subject" | "role"> & { hash: string; seconds: number | null };
export type AuditRow = Omit<Schemas["AuditEntry"], "id">;

/** `before`: the id of an entry. Only earlier entries are listed. */
const AUDIT_FILTERS = ["team", "subject", "token", "action", "world", "since", "until", "before"] as const;
type AuditFilters = { [Name in (typeof AUDIT_FILTERS)[number]]?: string | undefined };

/** ISO 8601 in UTC with milliseconds. `column` is never a value of a client. */
const formatInstant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const selectInstant = (column: string): string => `${formatInstant(column)} as ${column}`;

/** Quotas of earlier versions. */
const REMOVED_QUOTAS = "array['bytes_per_world', 'webhook_attempts_per_minute', 'unused_days']";
const TEAM = `id, name, ${selectInstant("created_at")}, id as default_world,
  quotas - ${REMOVED_QUOTAS} as quotas, targets as webhook_targets`;
/** Null removes a quota. Targets that are added twice are listed once. */
const TEAM_CHANGES = {
  setQuotas: "quotas = $2",
  changeQuotas: "quotas = jsonb_strip_nulls(quotas || $2::jsonb)",
  setTargets: "targets = $2",
  changeTargets:
    "targets = array(select t from unnest(targets) t where t <> all($2::text[] || $3::text[])) || $2::text[]",
};
const MEMBER = `subject, role, ${selectInstant("created_at")}`;
/** Twelve hex digits of the hash name a token in lists and in the audit log, and can't be used as a token. */
const TOKEN_ID = "left(encode(hash, 'hex'), 12)";
/** The roles, lowest rights first. A token has the lesser of its own role and of its subject's role in the team. */
const RANKS = "array['viewer', 'developer', 'owner']";
const ROLE = `(${RANKS})[least(array_position(${RANKS}, role), (
  select array_position(${RANKS}, m.role) from members m where m.team = tokens.team and m.subject = tokens.subject))]`;
const TOKEN = `${TOKEN_ID} as id, subject, ${ROLE} as role, ${["created_at", "expires_at", "revoked_at", "used_at"].map(selectInstant).join(", ")}`;
const IS_UNUSED = "coalesce(used_at < now() - interval '1 minute', true)";
/** The bytes of a world as they are stored. */
const SIZE = `(select coalesce(sum(pg_column_size(s.body)), 0) from snapshots s where s.world = w.id)
  + (select coalesce(sum(pg_column_size(j.record)), 0) from journal j where j.world = w.id)`;

/** Each method is one statement or one transaction. */
export class TeamStore {
  readonly #query: Query;
  readonly #transaction: Database["transaction"];

  constructor({ query, transaction }: Database) {
    this.#query = query;
    this.#transaction = transaction;
  }

  teams(only?: string): Promise<Team[]> {
    return this.#query(`select ${TEAM} from teams where $1::text is null or id = $1 order by id`, [only ?? null]);
  }

  /** Returns undefined if there is a team or a world of this id, which is also that of the team's default world. */
  addTeam({ id, name, quotas }: Pick<Team, "id" | "name" | "quotas">): Promise<Team | undefined> {
    return this.#queryOne(
      `insert into teams (id, name, quotas) select $1, $2, $3
       where not exists (select 1 from worlds where id = $1) on conflict do nothing returning ${TEAM}`,
      [id, name, JSON.stringify(quotas)],
    );
  }

  /** Returns the number of worlds that prevent it. */
  removeTeam(id: string): Promise<number> {
    return this.#transaction(async (query) => {
      await query("select 1 from teams where id = $1 for update", [id]);
      // A second statement sees the worlds that were created while the first one waited.
      const [found] = await query<{ count: number }>(
        `with gone as (delete from teams where id = $1 and not exists (select 1 from worlds where team = $1))
         select count(*)::int as count from worlds where team = $1`,
        [id],
      );
      return found?.count ?? 0;
    });
  }

  /** Returns undefined if there is no such team. */
  changeTeam(id: string, change: keyof typeof TEAM_CHANGES, ...values: unknown[]): Promise<Team | undefined> {
    return this.#queryOne(`update teams set ${TEAM_CHANGES[change]} where id = $1 returning ${TEAM}`, [id, ...values]);
  }

  members(team: string): Promise<Schemas["TeamMember"][]> {
    return this.#query(`select ${MEMBER} from members where team = $1 order by subject`, [team]);
  }

  setMember(team: string, subject: string, role: TeamRole): Promise<Schemas["TeamMember"] | undefined> {
    return this.#queryOne(
      `insert into members (team, subject, role) values ($1, $2, $3)
       on conflict (team, subject) do update set role = excluded.role returning ${MEMBER}`,
      [team, subject, role],
    );
  }

  /** Revokes the tokens of the member too. Returns whether there was such a member. */
  removeMember(team: string, subject: string): Promise<boolean> {
    return this.#hasRow(
      `with revoked as (
         update tokens set revoked_at = now() where team = $1 and subject = $2 and revoked_at is null
       ) delete from members where team = $1 and subject = $2 returning subject`,
      [team, subject],
    );
  }

  tokens(team: string): Promise<ControlToken[]> {
    return this.#query(`select ${TOKEN} from tokens where team = $1 order by tokens.created_at desc`, [team]);
  }

  /** A subject that is no member becomes one. */
  addToken({ hash, team, subject, role, seconds }: NewToken): Promise<ControlToken | undefined> {
    return this.#queryOne(
      `with member as (insert into members (team, subject, role) values ($2, $3, $4) on conflict do nothing)
       insert into tokens (hash, team, subject, role, expires_at)
       values (decode($1, 'hex'), $2, $3, $4, now() + make_interval(secs => $5::float8)) returning ${TOKEN}`,
      [hash, team, subject, role, seconds],
    );
  }

  /** Keeps the time of the first revocation, which the audit log has. Returns whether there is such a token. */
  revokeToken(team: string, id: string): Promise<boolean> {
    return this.#hasRow(
      `update tokens set revoked_at = coalesce(revoked_at, now()) where team = $1 and ${TOKEN_ID} = $2 returning team`,
      [team, id],
    );
  }

  findToken(hash: string): Promise<FoundToken | undefined> {
    return this.#queryOne(
      `select team, ${TOKEN}, coalesce(expires_at <= now(), false) as expired, ${IS_UNUSED} as is_unused,
              exists (select 1 from members m where m.team = tokens.team and m.subject = tokens.subject) as is_member
       from tokens where hash = decode($1, 'hex') and team is not null`,
      [hash],
    );
  }

  /** Writes at most once a minute over all nodes. */
  async recordUse(hash: string): Promise<void> {
    await this.#query(`update tokens set used_at = now() where hash = decode($1, 'hex') and ${IS_UNUSED}`, [hash]);
  }

  /** Removes old sessions too. `token`: the hash of the token that was sent; null for that of the operator. */
  async openSession(hash: string, token: string | null, seconds: number): Promise<void> {
    await this.#query(
      `with old as (delete from sessions where expires_at <= now()) insert into sessions (hash, token, expires_at)
       values (decode($1, 'hex'), decode($2, 'hex'), now() + make_interval(secs => $3::float8))`,
      [hash, token, seconds],
    );
  }

  findSession(hash: string): Promise<{ token: string | null } | undefined> {
    return this.#queryOne(
      "select encode(token, 'hex') as token from sessions where hash = decode($1, 'hex') and expires_at > now()",
      [hash],
    );
  }

  async closeSession(hash: string): Promise<void> {
    await this.#query("delete from sessions where hash = decode($1, 'hex')", [hash]);
  }

  /** Returns undefined if there is no such world. */
  findTeam(world: string): Promise<{ team: string | null } | undefined> {
    return this.#queryOne("select team from worlds where id = $1", [world]);
  }

  /** Returns the worlds of a team with their bytes, the largest first. */
  sizes(team: string): Promise<{ id: string; bytes: number }[]> {
    const sizes = `select w.id, (${SIZE})::float8 as bytes from worlds w where w.team = $1 order by 2 desc, 1`;
    return this.#query(sizes, [team]);
  }

  /** Adds the requests that this node has counted in a minute since 1970. Returns the team, and the requests of all nodes. */
  addRequests(team: string, minute: number, requests: number): Promise<(Team & { requests: number }) | undefined> {
    return this.#queryOne(
      `with past as (delete from used where team = $1 and minute < now() - interval '1 hour'), counted as (
         insert into used (team, minute, requests, attempts)
         select id, to_timestamp($2::bigint * 60), $3::bigint, 0 from teams where id = $1
         on conflict (team, minute) do update set requests = used.requests + excluded.requests returning requests
       ) select ${TEAM}, counted.requests::float8 as requests from teams, counted where id = $1`,
      [team, minute, requests],
    );
  }

  /** Returns the requests of a team in this minute. */
  async countRequests(team: string): Promise<number> {
    const used = await this.#queryOne<{ requests: number }>(
      "select requests::float8 as requests from used where team = $1 and minute = date_trunc('minute', now())",
      [team],
    );
    return used?.requests ?? 0;
  }

  async addAudit({ team, subject, token, action, world, status, detail }: Omit<AuditRow, "at">): Promise<void> {
    const details = JSON.stringify(detail, (_, value) => replaceNul(value));
    await this.#query(
      `insert into audit (team, subject, token, action, world, status, detail) values ($1, $2, $3, $4, $5, $6, $7)`,
      [team, subject, token, action, world, status, details],
    );
  }

  // The order is descending by id, so that a page stays the same while new entries are written.
  audit({ limit, ...filters }: AuditFilters & { limit: number }): Promise<(AuditRow & { id: string })[]> {
    return this.#query(
      `select id::text, ${formatInstant("at")} as at, team, subject, token, action, world, status, detail from audit
       where ($1::text is null or team = $1) and ($2::text is null or subject = $2)
         and ($3::text is null or token = $3) and ($4::text is null or action = $4)
         and ($5::text is null or world = $5) and ($6::timestamptz is null or at >= $6)
         and ($7::timestamptz is null or at < $7) and ($8::bigint is null or id < $8)
       order by audit.id desc limit $9`,
      [...AUDIT_FILTERS.map((name) => filters[name] ?? null), limit],
    );
  }

  async #queryOne<R extends object>(sql: string, values: readonly unknown[]): Promise<R | undefined> {
    const [row] = await this.#query<R>(sql, values);
    return row;
  }

  async #hasRow(sql: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.#query(sql, values)).length > 0;
  }
}
