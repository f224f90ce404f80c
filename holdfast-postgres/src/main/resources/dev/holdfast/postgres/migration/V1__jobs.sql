-- Live jobs only: a job leaves this table in the statement that ends it.
-- Columns of fixed width come first, the widest before the others, so that no byte is lost to alignment.
create table ${schema}.job (
  id               uuid        not null primary key,
  -- The incarnation that holds the job or, if none does, the one that held it last.
  incarnation      uuid,
  -- Grows by one with each claim, until the job ends.
  token            bigint      not null default 0,
  created_at       timestamptz not null,
  -- When the job became or becomes due.
  run_at           timestamptz not null,
  -- run_at less priority * aging: linear aging never reorders two waiting jobs, so this is computed once.
  rank             timestamptz not null,
  -- When the latest attempt started; null before the first.
  started_at       timestamptz,
  -- The number of the claim call, by which an incarnation recognises claims whose reply was lost.
  claim_no         bigint,
  -- The job expires at this time if it has not started.
  start_by         timestamptz,
  -- The token of the latest attempt whose finish made the job wait again, by which a repeated finish is recognised.
  done_token       bigint,
  attempt          smallint    not null default 0,
  priority         smallint    not null,
  cancel_requested boolean     not null default false,
  -- Claimed under the cluster-wide limit of its queue.
  capped           boolean     not null default false,
  state            text collate "C" not null
                   check (state in ('SCHEDULED', 'READY', 'CLAIMED', 'RUNNING')),
  queue            text collate "C" not null,
  task             text collate "C" not null,
  payload          text,
  policy           text,
  tags             text[],
  -- A key that is unique among live jobs. A key that is unique for a time is enforced by the ledger, and is here for display.
  unique_key       text collate "C",
  ledger_key       text collate "C",
  failures         jsonb
) with (
  -- Room on each page for the version that a claim writes: 108 bytes of WAL less for each job.
  fillfactor = 50,
  -- Rows come and go all the time, so the number of dead rows matters, not their share.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);

create index job_ready on ${schema}.job (queue, task, rank) where state = 'READY';
create index job_held on ${schema}.job (incarnation, claim_no) where state in ('CLAIMED', 'RUNNING');
create index job_due on ${schema}.job (run_at) where state = 'SCHEDULED';
create index job_start_by on ${schema}.job (start_by)
  where start_by is not null and state in ('SCHEDULED', 'READY');
create index job_capped on ${schema}.job (queue) where capped;
create unique index job_unique on ${schema}.job (task, unique_key) where unique_key is not null;
create index job_tags on ${schema}.job using gin (tags) where tags is not null;

-- Jobs that ended without being dead-lettered. One partition for each day, created ahead of time;
-- the default partition receives rows of days without one.
create table ${schema}.job_history (
  id               uuid        not null,
  token            bigint      not null,
  created_at       timestamptz not null,
  run_at           timestamptz not null,
  started_at       timestamptz,
  start_by         timestamptz,
  finished_at      timestamptz not null,
  -- The result is not shown from this time on; null to show it as long as the row exists.
  result_until     timestamptz,
  attempt          smallint    not null,
  priority         smallint    not null,
  cancel_requested boolean     not null,
  state            text collate "C" not null check (state in ('SUCCEEDED', 'CANCELLED', 'EXPIRED')),
  queue            text collate "C" not null,
  task             text collate "C" not null,
  node             text,
  payload          text,
  result           text,
  tags             text[],
  unique_key       text collate "C",
  failures         jsonb
) partition by range (finished_at);

create table ${schema}.job_history_default partition of ${schema}.job_history default;

create index job_history_default_finished on ${schema}.job_history_default (finished_at);

create index job_history_id on ${schema}.job_history (id);
create index job_history_task on ${schema}.job_history (task, state, id);
create index job_history_result_until on ${schema}.job_history (result_until)
  where result_until is not null;
create index job_history_tags on ${schema}.job_history using gin (tags) where tags is not null;

-- Jobs that failed permanently, until they are retried, purged or deleted after their retention.
create table ${schema}.dead_letter (
  id               uuid        not null primary key,
  token            bigint      not null,
  created_at       timestamptz not null,
  run_at           timestamptz not null,
  started_at       timestamptz,
  start_by         timestamptz,
  finished_at      timestamptz not null,
  attempt          smallint    not null,
  priority         smallint    not null,
  cancel_requested boolean     not null,
  queue            text collate "C" not null,
  task             text collate "C" not null,
  node             text,
  payload          text,
  policy           text,
  tags             text[],
  unique_key       text collate "C",
  ledger_key       text collate "C",
  failures         jsonb
);

create index dead_letter_task on ${schema}.dead_letter (task, queue, id);
create index dead_letter_finished on ${schema}.dead_letter (finished_at);
create index dead_letter_tags on ${schema}.dead_letter using gin (tags) where tags is not null;

-- One row for each incarnation of a node. Half-empty pages, so that a heartbeat is written in place.
create table ${schema}.node (
  incarnation uuid        not null primary key,
  id          text        not null,
  host        text        not null,
  pid         bigint      not null,
  version     text        not null,
  -- The timeout: how long the node may be silent, in microseconds.
  terms       bigint      not null,
  queues      text[]      not null,
  tasks       text[]      not null,
  capacity    integer     not null,
  running     integer     not null default 0,
  beat        bigint      not null default 0,
  state       text collate "C" not null check (state in ('ALIVE', 'DEAD')),
  started_at  timestamptz not null,
  beaten_at   timestamptz not null,
  died_at     timestamptz
) with (fillfactor = 50);

-- Settings of queues; a queue without a row has none.
create table ${schema}.queue (
  name     text collate "C" not null primary key,
  paused   boolean not null default false,
  max_held integer check (max_held >= 0)
);

-- Keys that are unique for a time, even if their job has ended.
create table ${schema}.unique_ledger (
  task       text collate "C" not null,
  key        text collate "C" not null,
  job_id     uuid        not null,
  expires_at timestamptz not null,
  primary key (task, key)
);

create index unique_ledger_expires on ${schema}.unique_ledger (expires_at);

-- The number of ended jobs, so that history is never counted. Each writer has a separate shard and never waits.
create table ${schema}.tally (
  day   date   not null,
  queue text collate "C" not null,
  task  text collate "C" not null,
  state text collate "C" not null,
  shard uuid   not null,
  count bigint not null,
  primary key (day, queue, task, state, shard)
) with (fillfactor = 50);
