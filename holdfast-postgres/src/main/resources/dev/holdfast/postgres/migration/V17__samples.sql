-- The latest measurement of queues. One node of the cluster measures at a time, the others read this row.
create table ${schema}.sample (
  one      boolean     not null primary key default true check (one),
  taken_at timestamptz not null,
  -- By queue: ready jobs, and how long the oldest of them has waited, in microseconds.
  queues   text[]      not null,
  ready    bigint[]    not null,
  oldest   bigint[]    not null,
  -- By task: ready jobs that no live node has a handler for.
  unknown  text[]      not null,
  waiting  bigint[]    not null,
  -- How many nodes live, and how many of them serve a queue.
  nodes    integer     not null,
  served   text[]      not null,
  serving  integer[]   not null
);

-- A schedule that could not be fired is not tried again before this time.
alter table ${schema}.schedule add column retry_at timestamptz;
drop index ${schema}.schedule_due;
create index schedule_due on ${schema}.schedule (greatest(next_fire, retry_at))
  where next_fire is not null and not paused and not cancelled;
