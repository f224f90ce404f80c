-- Frozen, see raw-schema.sql. Parameters: incarnation, number of the claim call, queue, task,
-- incarnation, how many. By job_ready, and then straight to the rows by their place.
update ${schema}.job j
   set state = 'RUNNING', token = j.token + 1, attempt = j.attempt + 1, incarnation = ?,
       claim_no = ?, started_at = now()
 where j.ctid = any (array(
         select ctid from ${schema}.job
          where state = 'READY' and queue = ? and task = ?
            and exists (select from ${schema}.node where incarnation = ? and state = 'ALIVE')
          order by rank limit ? for update skip locked))
returning j.id, j.token, j.payload, j.attempt, j.crashes, j.priority, j.rank, j.run_at,
          j.created_at, now()
