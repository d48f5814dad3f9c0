// Additions for teams: targets of webhooks, signed-in browsers, the requests of a minute, and when a world was last used.

export const TEAM_STEP = `alter table teams add column targets text[] not null default '{}';
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
