-- Rules of tasks; a task without a row has none. A claim of a task with a limit, or with a breaker that is not
-- closed, locks its row first.
create table ${schema}.task_rule (
  task        text collate "C" not null primary key,
  max_held    integer check (max_held >= 1),
  breaker     text collate "C" not null default 'CLOSED'
              check (breaker in ('CLOSED', 'OPEN', 'PROBING')),
  -- The times of recent failed attempts, while the breaker is closed; at most as many as it takes to open.
  failed_at   timestamptz[] not null default '{}',
  -- When one job is let through, and for how many microseconds the breaker opens again.
  open_until  timestamptz,
  open_for    bigint not null default 0,
  -- The claim that was let through.
  probe_job   uuid,
  probe_token bigint,
  check ((breaker = 'CLOSED') = (open_until is null)),
  check ((breaker = 'PROBING') = (probe_job is not null)),
  check ((probe_job is null) = (probe_token is null))
) with (fillfactor = 50);

-- Tasks that have a limit or a breaker that is not closed.
create index task_rule_barred on ${schema}.task_rule (task)
  where max_held is not null or breaker <> 'CLOSED';

-- Claimed under the cluster-wide limit of its task; has no meaning while the job is not held.
alter table ${schema}.job add column task_capped boolean;

create index job_task_capped on ${schema}.job (task)
  where task_capped and state in ('CLAIMED', 'RUNNING');
