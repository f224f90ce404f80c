-- Large payloads of the jobs of steps, stored once for each run: steps that get the same input share it,
-- and a job that ends or is retried does not copy it. Deleted with the run.
create table ${schema}.run_payload (
  run_id uuid not null,
  -- Computed from the body.
  id     uuid not null,
  body   text not null,
  primary key (run_id, id)
);

-- The payload, if it is stored there; then the column payload is null.
alter table ${schema}.job add column payload_ref uuid;
alter table ${schema}.job_history add column payload_ref uuid;
alter table ${schema}.dead_letter add column payload_ref uuid;

-- The jobs of steps whose journal did not match the code of the last node that ran them. They are few.
create index job_mismatch on ${schema}.job (run_id)
  where run_id is not null and state in ('SCHEDULED', 'READY')
    and failures -> -1 ->> 'code' = 'JOURNAL_MISMATCH';
