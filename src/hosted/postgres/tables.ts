// The tables, and the steps that create and upgrade them. If several nodes start at once, one of them runs the steps.
import { hash } from "node:crypto";
import { StoreError } from "../../engine/log/index.ts";
import type { Database } from "./connection.ts";

/**
 * A world is a checkpoint (its snapshot without a name) and the commits after it. In version 0.2.0 a snapshot had only
 * what differs from its template. Each ownership has its own epoch.
 */
const FIRST = `create table nodes (
     id text collate "C" primary key,
     url text not null,
     version text not null,
     started_at timestamptz not null default now(),
     until timestamptz not null
   );
   create table teams (
     id text collate "C" primary key,
     name text not null,
     quotas jsonb not null default '{}',
     created_at timestamptz not null default now()
   );
   create table members (
     team text collate "C" not null references teams on delete cascade,
     subject text not null,
     role text not null check (role in ('owner', 'developer', 'viewer')),
     created_at timestamptz not null default now(),
     primary key (team, subject)
   );
   create table tokens (
     hash bytea primary key,
     team text collate "C" references teams on delete cascade,
     subject text not null,
     role text not null check (role in ('operator', 'owner', 'developer', 'viewer')),
     created_at timestamptz not null default now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     used_at timestamptz
   );
   create index tokens_of_team on tokens (team);
   create table templates (
     hash bytea primary key,
     key text not null,
     format smallint not null,
     body bytea not null,
     created_at timestamptz not null default now()
   );
   create index templates_by_key on templates (key, created_at);
   create sequence epochs;
   create table worlds (
     id text collate "C" primary key,
     team text collate "C",
     recipe jsonb,
     owner text collate "C",
     epoch bigint not null default 0,
     bytes bigint not null default 0,
     next_due_at timestamptz,
     created_at timestamptz not null default now(),
     used_at timestamptz not null default now()
   );
   create index worlds_of_team on worlds (team, id);
   create index worlds_of_owner on worlds (owner) where owner is not null;
   create index worlds_due on worlds (next_due_at) where next_due_at is not null;
   create table journal (
     world text collate "C" not null,
     seq bigint not null,
     epoch bigint not null,
     at timestamptz not null default now(),
     format smallint not null,
     record text not null,
     primary key (world, seq)
   );
   create table snapshots (
     world text collate "C" not null,
     name text collate "C" not null default '',
     seq bigint not null,
     at timestamptz not null default now(),
     format smallint not null,
     template bytea references templates,
     body bytea not null,
     primary key (world, name)
   );
   create index snapshots_of_template on snapshots (template) where template is not null;
   create table audit (
     id bigint generated always as identity primary key,
     at timestamptz not null default now(),
     team text collate "C",
     subject text not null,
     token text not null,
     action text not null,
     world text collate "C",
     detail jsonb not null default '{}'
   );
   create index audit_of_team on audit (team, id)`;

/** Targets of webhooks, signed-in browsers, and the requests of a minute. */
const TEAM_STEP = `alter table teams add column targets text[] not null default '{}';
   alter table audit add column status smallint not null default 0;
   alter table worlds add column asked_at timestamptz not null default now();
   create table sessions (
     hash bytea primary key,
     token bytea references tokens on delete cascade,
     expires_at timestamptz not null
   );
   create table used (
     team text collate "C" not null references teams on delete cascade,
     minute timestamptz not null,
     requests bigint not null,
     attempts bigint not null,
     primary key (team, minute)
   )`;

/**
 * Rows of the journal are entries of the log. `previous` is null in rows of version 0.2.0, whose nodes may still write
 * them. No entry of a removed world has a number above that of `removed_numbers`. An operator who starts a node of
 * 0.2.0 again removes the row of this step in `migrations`, so the step can be repeated.
 */
const LOG_STEP = `alter table journal add column if not exists kind text collate "C" not null default 'change',
     add column if not exists previous bigint;
   alter table worlds add column if not exists dropped bigint not null default 0,
     add column if not exists last_seq bigint not null default 0;
   create sequence if not exists removed_numbers`;

// Databases run the steps in this order. Nodes up to 0.2.0 compare their checksums at every start.
export const STEPS: readonly string[] = [FIRST, TEAM_STEP, LOG_STEP];

/** Any number that is the same on all nodes. */
const LOCK = 7_031_994;

/** Throws a StoreError where the tables are newer than this version. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    // The lock ends with the transaction, so a node that dies leaves no lock and no half of a step.
    await query("select pg_advisory_xact_lock($1)", [LOCK]);
    const [found] = await query<{ is: boolean }>("select to_regclass('migrations') is not null as is");
    // A user without the right to create tables can start on existing ones.
    if (!found?.is)
      await query("create table migrations (id int primary key, at timestamptz not null, checksum text not null)");
    const rows = await query("select id from migrations");
    if (rows.length > STEPS.length)
      throw new StoreError(
        `The database has the tables of a newer version (step ${rows.length}, and this one knows ${STEPS.length}). Start a newer version of the sandbox.`,
      );
    for (const [index, sql] of [...STEPS.entries()].slice(rows.length)) {
      await query(sql);
      const checksum = hash("sha256", sql, "hex").slice(0, 16);
      await query("insert into migrations (id, at, checksum) values ($1, now(), $2)", [index + 1, checksum]);
    }
    // Rows of dead nodes do no harm.
    await query("delete from nodes where until < clock_timestamp() - interval '1 hour'");
  });
}
