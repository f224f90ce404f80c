package dev.holdfast.postgres;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.mode.Takers;
import dev.holdfast.engine.mode.Takers.Candidate;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/** Why jobs wait, and which wait in vain. */
final class WaitReasons {
  // By job_pkey, job_history_id of each partition and dead_letter_pkey; what is before a READY job
  // by job_ready, job_ready_stack or job_ready_suspect, how many are held under a limit by
  // job_capped and job_task_capped. A case looks only as far as it must.
  private static final String WHY =
      """
      select j.state, j.queue, j.task, j.run_at,
             (select n.id from ${schema}.node n where n.incarnation = j.incarnation),
             coalesce(q.paused, false), q.max_held,
             j.stack, coalesce(j.crashes, 0),
             case when q.max_held is not null then (
               select count(*) from ${schema}.job h where h.queue = j.queue and h.capped)
             end,
             case when j.state = 'READY' and j.suspicion is null then (
               select count(*) from ${schema}.job b
               where b.state = 'READY' and b.stack is null and b.suspicion is null
                 and b.queue = j.queue and b.rank < j.rank)
             end,
             case when j.state = 'READY' and j.suspicion is null and j.stack is not null then (
               select count(*) from ${schema}.job b
               where b.state = 'READY' and b.stack is not null and b.suspicion is null
                 and b.queue = j.queue and b.stack = j.stack and b.rank < j.rank)
             end,
             case when j.state = 'READY' and j.suspicion is not null then (
               select count(*) from ${schema}.job b
               where b.state = 'READY' and b.suspicion is not null
                 and b.queue = j.queue and b.rank < j.rank
                 and (b.stack is null or b.stack = j.stack))
             end,
             (extract(epoch from now() - j.run_at) * 1000000)::bigint,
             r.open_until, r.max_held,
             case when r.max_held is not null then (
               select count(*) from ${schema}.job h
               where h.task = j.task and h.task_capped and h.state in ('CLAIMED', 'RUNNING'))
             end,
             j.suspicion is not null
      from ${schema}.job j
      left join ${schema}.queue q on q.name = j.queue
      left join ${schema}.task_rule r on r.task = j.task
      where j.id = :id
      union all
      select h.state, null, null, null, null, null, null, null, null, null, null, null, null, null,
             null, null, null, null
      from ${schema}.job_history h where h.id = :id
      union all
      select 'FAILED', null, null, null, null, null, null, null, null, null, null, null, null, null,
             null, null, null, null
      from ${schema}.dead_letter d where d.id = :id
      """;

  private static final String LIVING =
      """
      select id, queues, tasks, serves, mode, mode_exceptions
      from ${schema}.node where state = 'ALIVE'
      """;

  // Steps through job_ready from one (queue, task) to the next instead of reading every job, and
  // counts only those that nobody knows; jobs of fleets and suspects, by their own indexes, are
  // few.
  private static final String UNKNOWN =
      """
      with recursive pair as (
        (select queue, task from ${schema}.job
         where state = 'READY' and stack is null and suspicion is null
         order by queue, task limit 1)
        union all
        select n.queue, n.task
        from pair p
        cross join lateral (
          select j.queue, j.task from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.suspicion is null
            and (j.queue, j.task) > (p.queue, p.task)
          order by j.queue, j.task limit 1
        ) n
      )
      select p.task, sum(p.waiting)::bigint
      from (
        select pair.queue, pair.task, (
          select count(*) from ${schema}.job j
          where j.state = 'READY' and j.stack is null and j.suspicion is null
            and j.queue = pair.queue and j.task = pair.task) as waiting
        from pair
        union all
        select j.queue, j.task, count(*) from ${schema}.job j
        where j.state = 'READY' and j.stack is not null and j.suspicion is null
        group by j.queue, j.task
        union all
        select j.queue, j.task, count(*) from ${schema}.job j
        where j.state = 'READY' and j.suspicion is not null
        group by j.queue, j.task
      ) p
      where not exists (
        select from ${schema}.node n
        where n.state = 'ALIVE' and p.queue = any(n.queues) and p.task = any(n.tasks))
      group by p.task
      """;

  private final Database database;
  private final String why;
  private final String living;
  private final String unknown;

  WaitReasons(Database database) {
    this.database = database;
    this.why = database.sql(WHY);
    this.living = database.sql(LIVING);
    this.unknown = database.sql(UNKNOWN);
  }

  Optional<WaitReason> of(JobId id) {
    return database.run(
        "ask why job %s waits".formatted(id),
        handle ->
            handle
                .createQuery(why)
                .bind("id", id.value())
                .map((row, context) -> reason(row, () -> living(handle)))
                .findFirst());
  }

  private List<Candidate> living(Handle handle) {
    return handle
        .createQuery(living)
        .map((row, context) ->
            new Candidate(
                row.getString(1),
                Values.strings(row, 2),
                Values.strings(row, 3),
                Values.strings(row, 4),
                NodeRows.modes(row.getString(5), Values.strings(row, 6))))
        .list();
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

  private static WaitReason reason(ResultSet row, Supplier<List<Candidate>> living)
      throws SQLException {
    JobState state = JobState.valueOf(row.getString(1));
    return switch (state) {
      case SCHEDULED -> new WaitReason.NotDue(Values.instant(row, 4));
      case READY -> whileReady(row, living);
      case CLAIMED -> new WaitReason.Held(String.valueOf(row.getString(5)));
      case RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED -> new WaitReason.NotWaiting(state);
    };
  }

  /** The first obstacle counts: a wish of people's, then what is missing, then mere business. */
  private static WaitReason whileReady(ResultSet row, Supplier<List<Candidate>> living)
      throws SQLException {
    String queue = row.getString(2);
    String task = row.getString(3);
    boolean paused = row.getBoolean(6);
    Integer limit = row.getObject(7, Integer.class);
    int crashes = row.getInt(9);
    long held = row.getLong(10);
    if (paused) {
      return new WaitReason.QueuePaused(queue);
    }
    Optional<WaitReason> lacking = Takers.lacking(queue, task, row.getString(8), living.get());
    if (lacking.isPresent()) {
      return lacking.get();
    }
    Instant openUntil = Values.instantOrNull(row, 15);
    if (openUntil != null) {
      return new WaitReason.BreakerOpen(task, openUntil);
    }
    if (limit != null && held >= limit) {
      return new WaitReason.QueueFull(queue, limit);
    }
    Integer taskLimit = row.getObject(16, Integer.class);
    if (taskLimit != null && row.getLong(17) >= taskLimit) {
      return new WaitReason.TaskFull(task, taskLimit);
    }
    return row.getBoolean(18)
        ? new WaitReason.Suspected(crashes, row.getLong(13))
        : new WaitReason.InLine(
            row.getLong(11) + row.getLong(12), Values.ofMicros(Math.max(0, row.getLong(14))));
  }
}
