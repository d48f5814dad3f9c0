// The steps that create the tables. A released step never changes.

import { TEAM_STEP } from "./team-tables.ts";

/**
 * A world is a checkpoint (its snapshot without a name) and the commits after it. In version 0.2.0 a snapshot had only what differs from its
 * template. Each ownership has its own epoch.
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

/**
 * Rows of the journal are entries of the log. `previous` is null in rows of version 0.2.0, whose nodes may still write them. No entry of a removed
 * world has a number above that of `removed_numbers`. An operator who starts a node of 0.2.0 again removes the row of this step in `migrations`, so
 * the step can be repeated.
 */
const LOG_STEP = `alter table journal add column if not exists kind text collate "C" not null default 'change',
     add column if not exists previous bigint;
   alter table worlds add column if not exists dropped bigint not null default 0,
     add column if not exists last_seq bigint not null default 0;
   create sequence if not exists removed_numbers`;

// Databases run the steps in this order. Every start compares their checksums.
export const STEPS: readonly string[] = [FIRST, TEAM_STEP, LOG_STEP];
