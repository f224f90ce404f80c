-- Durable steps: what the handler of a job has executed and what it waits for. Entries of jobs that
-- have ended are deleted by upkeep; those of dead-lettered jobs are kept for a retry.
create table ${schema}.journal (
  job_id     uuid    not null,
  -- The order in which entries were first written.
  number     bigint  not null generated always as identity,
  occurrence integer not null,
  kind       text collate "C" not null
             check (kind in ('RUN', 'TRANSACTION', 'SLEEP', 'AWAITING', 'RECEIVED', 'TIMED_OUT', 'PATCH')),
  name       text    collate "C" not null,
  output     text,
  primary key (job_id, name, occurrence)
);

-- The signal that a WAITING job awaits. Signals to jobs are in the table of those to runs.
alter table ${schema}.job add column waits_for text collate "C";

drop index ${schema}.job_due;
create index job_due on ${schema}.job (run_at) where state in ('SCHEDULED', 'WAITING');
