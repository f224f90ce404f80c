-- Workflows: graphs, runs, and what belongs to runs. Steps are jobs.
do $$
declare
  old record;
begin
  for old in
    select conname from pg_constraint
     where contype = 'c' and conrelid = '${schema}.job'::regclass
       and pg_get_constraintdef(oid) like '%''SCHEDULED''%'
  loop
    execute format('alter table ${schema}.job drop constraint %I', old.conname);
  end loop;
end $$;

alter table ${schema}.job
  add constraint job_state_check
    check (state in ('SCHEDULED', 'READY', 'CLAIMED', 'RUNNING', 'WAITING', 'ON_HOLD')),
  -- The step that it executes: the run, the position of the step in its graph, and the position of the
  -- element for a job of a map, otherwise -1. Null for a job that belongs to no run.
  add column run_id uuid,
  add column step smallint,
  add column item integer,
  -- The state in which it was when its run was paused.
  add column held_from text collate "C";
alter table ${schema}.job_history
  add column run_id uuid, add column step smallint, add column item integer;
alter table ${schema}.dead_letter
  add column run_id uuid, add column step smallint, add column item integer;

create unique index job_run on ${schema}.job (run_id, step, item) where run_id is not null;
create index job_parked on ${schema}.job (queue, task) where state in ('WAITING', 'ON_HOLD');
create index dead_letter_run on ${schema}.dead_letter (run_id, step) where run_id is not null;

-- The graphs of workflows, as text that only the engine reads.
create table ${schema}.workflow_definition (
  id         integer not null generated always as identity primary key,
  hash       text collate "C" not null unique,
  name       text collate "C" not null,
  format     integer not null,
  body       text not null,
  created_at timestamptz not null,
  used_at    timestamptz not null
);

create index workflow_definition_name on ${schema}.workflow_definition (name, created_at, id);

-- Open runs. Half empty pages, so that an advance is written in place.
create table ${schema}.run (
  id          uuid        not null primary key,
  -- The step of another run that started it; null for a run that a client started.
  parent_id   uuid,
  origin      uuid,
  -- The gate that limits how many runs are active; null for none.
  gate        uuid,
  created_at  timestamptz not null,
  -- The number of its latest event.
  seq         bigint      not null default 0,
  -- The size of its outputs.
  bytes       bigint      not null default 0,
  definition  integer     not null,
  parent_item integer,
  gate_count  integer,
  parent_step smallint,
  priority    smallint,
  -- Whether it was retried: then elements of its maps may have results already.
  retried     boolean     not null default false,
  state       text collate "C" not null check (state in ('QUEUED', 'RUNNING', 'PAUSED', 'CANCELLING')),
  phase       text collate "C" not null,
  workflow    text collate "C" not null,
  -- One letter for each step.
  steps       text collate "C" not null,
  reason      text,
  -- The reason that it had when it was paused.
  held_reason text,
  input       text,
  unique_key  text collate "C",
  label       text,
  stack       text collate "C",
  tags        text[]
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);

create index run_workflow on ${schema}.run (workflow, id);
create index run_state on ${schema}.run (state, id) where state <> 'RUNNING';
create unique index run_unique on ${schema}.run (workflow, unique_key) where unique_key is not null;
create index run_parent on ${schema}.run (parent_id) where parent_id is not null;
create index run_of_gate on ${schema}.run (gate, state, id) where gate is not null;
create index run_tags on ${schema}.run using gin (tags) where tags is not null;

-- Runs that have ended.
create table ${schema}.run_history (
  id          uuid        not null primary key,
  parent_id   uuid,
  origin      uuid,
  gate        uuid,
  created_at  timestamptz not null,
  ended_at    timestamptz not null,
  seq         bigint      not null,
  bytes       bigint      not null,
  definition  integer     not null,
  parent_item integer,
  gate_count  integer,
  parent_step smallint,
  priority    smallint,
  state       text collate "C" not null check (state in ('SUCCEEDED', 'FAILED', 'CANCELLED')),
  phase       text collate "C" not null,
  workflow    text collate "C" not null,
  steps       text collate "C" not null,
  reason      text,
  input       text,
  result      text,
  unique_key  text collate "C",
  label       text,
  stack       text collate "C",
  tags        text[]
);

create index run_history_workflow on ${schema}.run_history (workflow, state, id);
create index run_history_ended on ${schema}.run_history (ended_at);
create index run_history_parent on ${schema}.run_history (parent_id) where parent_id is not null;
create index run_history_tags on ${schema}.run_history using gin (tags) where tags is not null;

-- Notes that something happened to a run, written with it; the next advance applies and deletes them.
create table ${schema}.run_mark (
  run_id    uuid     not null,
  kind      text collate "C" not null
            check (kind in ('ENDED', 'SLEPT', 'TIMED_OUT', 'DEADLINE', 'LOOK')),
  step      smallint not null,
  ok        integer  not null default 0,
  failed    integer  not null default 0,
  cancelled integer  not null default 0,
  bytes     bigint   not null default 0
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);

create index run_mark_run on ${schema}.run_mark (run_id);

-- How steps and the elements of maps ended. Outputs are here and not in the history of jobs, whose
-- retention must not remove what an open run needs.
create table ${schema}.run_result (
  run_id      uuid        not null,
  job_id      uuid,
  token       bigint,
  started_at  timestamptz,
  finished_at timestamptz not null,
  item        integer     not null,
  step        smallint    not null,
  attempt     smallint    not null,
  outcome     "char"      not null check (outcome in ('S', 'F', 'C')),
  output      text,
  code        text,
  message     text,
  primary key (run_id, step, item)
);

-- What happened to runs, numbered under the lock of the run.
create table ${schema}.run_event (
  run_id uuid        not null,
  seq    bigint      not null,
  at     timestamptz not null,
  step   smallint    not null,
  kind   text collate "C" not null,
  detail text,
  primary key (run_id, seq)
);

-- The counters of maps that have started.
create table ${schema}.run_map (
  run_id    uuid     not null,
  step      smallint not null,
  total     integer  not null,
  inserted  integer  not null,
  ok        integer  not null default 0,
  failed    integer  not null default 0,
  cancelled integer  not null default 0,
  primary key (run_id, step)
) with (fillfactor = 50);

-- Timers become marks when they are due. A step of -1 means the run as a whole.
create table ${schema}.run_timer (
  run_id uuid        not null,
  due_at timestamptz not null,
  step   smallint    not null,
  kind   text collate "C" not null check (kind in ('SLEPT', 'TIMED_OUT', 'DEADLINE')),
  primary key (run_id, step, kind)
);

create index run_timer_due on ${schema}.run_timer (due_at);

-- Signals to runs, kept until their run is deleted.
create table ${schema}.signal (
  owner       uuid   not null,
  arrived     bigint not null generated always as identity,
  consumed_by smallint,
  name        text collate "C" not null,
  id          text collate "C" not null,
  payload     text,
  primary key (owner, name, id)
);

-- A lock for the starts that are limited together, and nothing else. The id is computed from the
-- workflow and the key.
create table ${schema}.run_gate (
  id uuid not null primary key
);
