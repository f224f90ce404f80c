-- All nullable: a job that never crashed, belongs to no stack and was not created by a trigger-only node
-- pays for none of this.
alter table ${schema}.job
  -- The number of its crashes; null for none.
  add column crashes smallint,
  -- The stack it belongs to; null for any.
  add column stack text collate "C",
  -- The trigger-only node that created it.
  add column source text,
  -- Its holder was requested to hand it back.
  add column release_requested boolean;

alter table ${schema}.job_history
  add column crashes smallint, add column stack text collate "C", add column source text;

alter table ${schema}.dead_letter
  add column crashes smallint, add column stack text collate "C", add column source text;

-- The indexes that a claim reads. Jobs that have crashed are claimed one at a time, and jobs of a
-- stack by that stack, each through a separate index that is usually empty.
drop index ${schema}.job_ready;
create index job_ready on ${schema}.job (queue, task, rank)
  where state = 'READY' and stack is null and crashes is null;
create index job_ready_stack on ${schema}.job (queue, task, stack, rank)
  where state = 'READY' and stack is not null and crashes is null;
create index job_ready_suspect on ${schema}.job (queue, task, rank)
  where state = 'READY' and crashes is not null;

alter table ${schema}.node
  add column name text,
  add column stack text collate "C",
  add column roles text[] not null default '{}',
  -- The timeout for jobs that it has not started, in microseconds.
  add column claimed_terms bigint not null default 60000000,
  add column mode text collate "C" not null default 'FULL'
    check (mode in ('FULL', 'TRIGGER_ONLY', 'DISABLED')),
  -- Modes of tasks that differ from it, as pattern=MODE.
  add column mode_exceptions text[] not null default '{}',
  -- Its jobs were claimed by this call or a later one: where a sweep may start.
  add column from_call bigint not null default 0,
  -- The name of its database sessions.
  add column session text,
  -- An operator has fenced it: it must give up everything and register again.
  add column dismissed boolean not null default false,
  add column death text collate "C" check (death in ('OWN_HAND', 'SILENCE')),
  -- How long it had been silent when it was marked dead, in microseconds.
  add column died_for bigint;

-- Records of past heartbeats, of nodes that keep them.
create table ${schema}.heartbeat (
  at          timestamptz not null,
  incarnation uuid        not null,
  node        text collate "C" not null,
  roles       text[]      not null,
  host        text        not null,
  pid         bigint      not null
);

create index heartbeat_node on ${schema}.heartbeat (node, at);
create index heartbeat_at on ${schema}.heartbeat (at);
