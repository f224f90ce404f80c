-- Part of `holdfast bench raw`, the limit that Holdfast is measured against. It is frozen: do not
-- change it together with Holdfast's own tables, or slow SQL of ours would lower the bar.
--
-- The columns of a job and the indexes that claiming and finishing need, in the fastest shape found
-- on PostgreSQL 18: fixed columns first, names and payload as text, half-empty pages so that a
-- claim's new row version stays on its page.
create schema ${schema};

create table ${schema}.node (
  incarnation uuid primary key,
  state       text collate "C" not null,
  beat        bigint not null
) with (fillfactor = 50);

create table ${schema}.job (
  id               uuid primary key,
  incarnation      uuid,
  token            bigint not null default 0,
  created_at       timestamptz not null,
  run_at           timestamptz not null,
  rank             timestamptz not null,
  started_at       timestamptz,
  claim_no         bigint,
  attempt          smallint not null default 0,
  crashes          smallint not null default 0,
  priority         smallint not null default 0,
  state            text collate "C" not null,
  queue            text collate "C" not null,
  task             text collate "C" not null,
  payload          text,
  unique_key       text,
  tags             text[],
  start_by         timestamptz,
  cancel_requested boolean,
  policy           jsonb,
  failures         jsonb,
  progress         real,
  note             text
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);
create index job_ready on ${schema}.job (queue, task, rank) where state = 'READY';
create index job_held on ${schema}.job (incarnation) where state in ('CLAIMED', 'RUNNING');
create index job_due on ${schema}.job (run_at) where state = 'SCHEDULED';
create unique index job_unique on ${schema}.job (task, unique_key) where unique_key is not null;

create table ${schema}.job_history (
  id          uuid not null,
  incarnation uuid,
  token       bigint not null,
  created_at  timestamptz not null,
  run_at      timestamptz not null,
  started_at  timestamptz,
  finished_at timestamptz not null,
  attempt     smallint not null,
  crashes     smallint not null,
  priority    smallint not null,
  outcome     text collate "C" not null,
  queue       text collate "C" not null,
  task        text collate "C" not null,
  payload     text,
  result      text,
  unique_key  text,
  tags        text[],
  policy      jsonb,
  failures    jsonb,
  note        text
) partition by range (finished_at);
create index job_history_id on ${schema}.job_history (id);
create table ${schema}.job_history_default partition of ${schema}.job_history default;
