package dev.holdfast.postgres;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Why jobs wait, and which wait in vain. */
final class WaitReasons {
  // By job_pkey, job_history_id of each partition and dead_letter_pkey; what is before a READY job
  // by job_ready, how many are held under a limit by job_capped and job_task_capped. A case looks
  // only as far as it
  // must.
  private static final String WHY =
      """
      select j.state, j.queue, j.task, j.run_at,
             (select n.id from ${schema}.node n where n.incarnation = j.incarnation),
             coalesce(q.paused, false), q.max_held,
             case when j.state = 'READY' then exists (
               select from ${schema}.node n where n.state = 'ALIVE' and j.queue = any(n.queues))
             end,
             case when j.state = 'READY' then exists (
               select from ${schema}.node n
               where n.state = 'ALIVE' and j.queue = any(n.queues) and j.task = any(n.tasks))
             end,
             case when q.max_held is not null then (
               select count(*) from ${schema}.job h where h.queue = j.queue and h.capped)
             end,
             case when j.state = 'READY' then (
               select count(*) from ${schema}.job b
               where b.state = 'READY' and b.stack is null and b.crashes is null
                 and b.queue = j.queue and b.rank < j.rank)
             end,
             (extract(epoch from now() - j.run_at) * 1000000)::bigint,
             r.open_until, r.max_held,
             case when r.max_held is not null then (
               select count(*) from ${schema}.job h
               where h.task = j.task and h.task_capped and h.state in ('CLAIMED', 'RUNNING'))
             end
      from ${schema}.job j
      left join ${schema}.queue q on q.name = j.queue
      left join ${schema}.task_rule r on r.task = j.task
      where j.id = :id
      union all
      select h.state, null, null, null, null, null, null, null, null, null, null, null, null, null,
             null
      from ${schema}.job_history h where h.id = :id
      union all
      select 'FAILED', null, null, null, null, null, null, null, null, null, null, null, null, null,
             null
      from ${schema}.dead_letter d where d.id = :id
      """;

  // Steps through job_ready from one (queue, task) to the next instead of reading every job, and
  // counts only those that nobody knows; jobs of fleets and suspects, by their own indexes, are
  // few.
  private static final String UNKNOWN =
      """
      with recursive pair as (
        (select queue, task from ${schema}.job
         where state = 'READY' and stack is null and crashes is null
         order by queue, task limit 1)
        union all
        select n.queue, n.task
        from pair p
        cross join lateral (
          select j.queue, j.task from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.crashes is null
            and (j.queue, j.task) > (p.queue, p.task)
          order by j.queue, j.task limit 1
        ) n
      )
      select p.task, sum(p.waiting)::bigint
      from (
        select pair.queue, pair.task, (
          select count(*) from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.crashes is null
            and j.queue = pair.queue and j.task = pair.task) as waiting
        from pair
        union all
        select j.queue, j.task, count(*) from ${schema}.job j
        where j.state = 'READY' and j.stack is not null and j.crashes is null
        group by j.queue, j.task
        union all
        select j.queue, j.task, count(*) from ${schema}.job j
        where j.state = 'READY' and j.crashes is not null
        group by j.queue, j.task
      ) p
      where not exists (
        select from ${schema}.node n
        where n.state = 'ALIVE' and p.queue = any(n.queues) and p.task = any(n.tasks))
      group by p.task
      """;

  private final Database database;
  private final String why;
  private final String unknown;

  WaitReasons(Database database) {
    this.database = database;
    this.why = database.sql(WHY);
    this.unknown = database.sql(UNKNOWN);
  }

  Optional<WaitReason> of(JobId id) {
    return database.run(
        "ask why job %s waits".formatted(id),
        handle ->
            handle
                .createQuery(why)
                .bind("id", id.value())
                .map((row, context) -> reason(row))
                .findFirst());
  }

  Map<String, Long> unknownTasks() {
    return database.run(
        "look for tasks that nobody knows",
        handle -> {
          Map<String, Long> counts = new TreeMap<>();
          handle
              .createQuery(unknown)
              .map((row, context) -> Map.entry(row.getString(1), row.getLong(2)))
              .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
          return counts;
        });
  }

  private static WaitReason reason(ResultSet row) throws SQLException {
    JobState state = JobState.valueOf(row.getString(1));
    return switch (state) {
      case SCHEDULED -> new WaitReason.NotDue(Values.instant(row, 4));
      case READY -> whileReady(row);
      case CLAIMED -> new WaitReason.Held(String.valueOf(row.getString(5)));
      case RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED -> new WaitReason.NotWaiting(state);
    };
  }

  /** The first obstacle counts: a wish of people's, then what is missing, then mere business. */
  private static WaitReason whileReady(ResultSet row) throws SQLException {
    String queue = row.getString(2);
    String task = row.getString(3);
    boolean paused = row.getBoolean(6);
    Integer limit = row.getObject(7, Integer.class);
    boolean served = row.getBoolean(8);
    boolean known = row.getBoolean(9);
    long held = row.getLong(10);
    if (paused) {
      return new WaitReason.QueuePaused(queue);
    }
    if (!served) {
      return new WaitReason.NobodyServesQueue(queue);
    }
    if (!known) {
      return new WaitReason.NobodyKnowsTask(task, queue);
    }
    Instant openUntil = Values.instantOrNull(row, 13);
    if (openUntil != null) {
      return new WaitReason.BreakerOpen(task, openUntil);
    }
    if (limit != null && held >= limit) {
      return new WaitReason.QueueFull(queue, limit);
    }
    Integer taskLimit = row.getObject(14, Integer.class);
    if (taskLimit != null && row.getLong(15) >= taskLimit) {
      return new WaitReason.TaskFull(task, taskLimit);
    }
    return new WaitReason.InLine(row.getLong(11), Values.ofMicros(Math.max(0, row.getLong(12))));
  }
}
