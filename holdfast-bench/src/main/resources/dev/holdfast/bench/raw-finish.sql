-- Frozen, see raw-schema.sql. Parameters: ids in order, tokens, results, incarnation. By job_pkey;
-- the guard is hidden from the planner, which would otherwise go by job_held for each row.
with f as (select * from unnest(?::uuid[], ?::bigint[], ?::text[]) f(id, token, result)),
d as (delete from ${schema}.job j using f
       where j.id = f.id and j.token = f.token
         and coalesce(j.state = 'RUNNING' and j.incarnation = ?, false)
      returning j.*, f.result)
insert into ${schema}.job_history
  (id, incarnation, token, created_at, run_at, started_at, finished_at, attempt, crashes,
   priority, outcome, queue, task, payload, result, unique_key, tags, policy, failures, note)
select id, incarnation, token, created_at, run_at, started_at, now(), attempt, crashes,
       priority, 'SUCCEEDED', queue, task, payload, result, unique_key, tags, policy, failures,
       note
  from d
returning id
