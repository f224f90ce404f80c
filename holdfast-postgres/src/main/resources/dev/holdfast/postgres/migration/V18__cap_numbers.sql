-- Numbers for jobs that are claimed under a limit. A number is taken while the row of the limited queue or task is
-- locked, so for each queue and task numbers become visible in ascending order. A count that knows which numbers
-- were held at its last look reads those and the newer ones, and never the index entries of finished jobs, which
-- stay in the index while an old snapshot is open. No cache, or numbers of two sessions would not ascend.
create sequence ${schema}.cap_number;

-- Null if the job is not limited, or was claimed by an earlier version.
alter table ${schema}.job
  add column cap_no bigint,
  add column task_cap_no bigint;

drop index ${schema}.job_capped;
create index job_capped on ${schema}.job (queue, cap_no) where capped;

drop index ${schema}.job_task_capped;
create index job_task_capped on ${schema}.job (task, task_cap_no)
  where task_capped and state in ('CLAIMED', 'RUNNING');
