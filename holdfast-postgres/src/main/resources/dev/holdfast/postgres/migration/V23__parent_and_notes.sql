-- parent: the job whose handler enqueued this one. notes: what its handler reported, as text that
-- only the engine reads. Both are null for most jobs and then take no space.
alter table ${schema}.job add column parent uuid, add column notes text;
alter table ${schema}.job_history add column parent uuid, add column notes text;
alter table ${schema}.dead_letter add column parent uuid, add column notes text;
