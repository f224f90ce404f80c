package dev.holdfast.postgres.query;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.rule.EligibleNodes;
import dev.holdfast.engine.rule.EligibleNodes.Candidate;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import dev.holdfast.postgres.liveness.NodeRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/** Finds out why jobs wait. */
final class WaitReasons {
  // By job_pkey, job_history_id of the partitions of a window and dead_letter_pkey. The jobs before
  // a READY job up to a bound; the jobs held under a limit by job_capped and job_task_capped. Each
  // case reads only what it needs.
  private static final String WHY =
      """
      select j.state, j.queue, j.task, j.run_at,
             (select n.id from ${schema}.node n where n.incarnation = j.incarnation),
             coalesce(q.paused, false), q.max_held,
             j.stack, coalesce(j.crashes, 0),
             case when q.max_held is not null then (
               select count(*) from ${schema}.job h where h.queue = j.queue and h.capped)
             end,
             case when j.state = 'READY' and j.suspicion is null then (${before_plain}) end,
             case when j.state = 'READY' and j.suspicion is null and j.stack is not null
               then (${before_stacked}) end,
             case when j.state = 'READY' and j.suspicion is not null then (${before_suspect}) end,
             (extract(epoch from now() - j.run_at) * 1000000)::bigint,
             r.open_until, r.max_held,
             case when r.max_held is not null then (
               select count(*) from ${schema}.job h
               where h.task = j.task and h.task_capped and h.state in ('CLAIMED', 'RUNNING'))
             end,
             j.suspicion is not null, j.run_id, j.waits_for, q.pause_reason, q.paused_at
      from ${schema}.job j
      left join ${schema}.queue q on q.name = j.queue
      left join ${schema}.task_rule r on r.task = j.task
      where j.id = :id
      union all
      select h.state, null, null, null, null, null, null, null, null, null, null, null, null, null,
             null, null, null, null, null::uuid, null, null, null::timestamptz
      from ${schema}.job_history h
      where h.id = :id and h.finished_at >= :from and h.finished_at < :to
      union all
      select 'FAILED', null, null, null, null, null, null, null, null, null, null, null, null, null,
             null, null, null, null, null::uuid, null, null, null::timestamptz
      from ${schema}.dead_letter d where d.id = :id
      """;

  // By job_ready, job_ready_stack or job_ready_suspect, from one task to the next: ranks are
  // ordered
  // within a task only.
  private static final String BEFORE =
      """
      with recursive tasks as (
        select (select b.task from ${schema}.job b where ${which} and b.queue = j.queue
                order by b.task limit 1) as task
        union all
        select (select b.task from ${schema}.job b
                where ${which} and b.queue = j.queue and b.task > t.task
                order by b.task limit 1)
        from tasks t where t.task is not null
      )
      select count(*) from (
        select from tasks t cross join lateral (
          select from ${schema}.job b
          where ${which} and ${stack} and b.queue = j.queue and b.task = t.task
            and b.rank < j.rank
          limit :most
        ) f
        limit :most
      ) found\
      """;

  // By job_history_id of the partitions of a window.
  private static final String ENDED =
      """
      select h.state from ${schema}.job_history h
      where h.id = :id and h.finished_at >= :from and h.finished_at < :to
      """;

  private static final String LIVING =
      """
      select id, queues, tasks, serves, mode, mode_exceptions, lost_lanes, graph_format
      from ${schema}.node where state = 'ALIVE'
      """;

  private final Database database;
  private final HistorySearch history;
  private final String why;
  private final String ended;
  private final String living;

  WaitReasons(Database database) {
    this.database = database;
    this.history = new HistorySearch(database);
    String ready = "b.state = 'READY' and b.suspicion is null and b.stack is ";
    this.why =
        database.sql(
            WHY.replace("${before_plain}", before(ready + "null", "true"))
                .replace("${before_stacked}", before(ready + "not null", "b.stack = j.stack"))
                .replace(
                    "${before_suspect}",
                    before(
                        "b.state = 'READY' and b.suspicion is not null",
                        "(b.stack is null or b.stack = j.stack)")));
    this.ended = database.sql(ENDED);
    this.living = database.sql(LIVING);
  }

  private static String before(String which, String stack) {
    return BEFORE.replace("${which}", which).replace("${stack}", stack);
  }

  Optional<WaitReason> of(JobId id) {
    return database.run(
        "find out why job %s waits".formatted(id),
        handle -> {
          Window near = HistorySearch.near(List.of(id.value()));
          Optional<WaitReason> reason =
              ask(handle, why, near, id, row -> reason(row, () -> living(handle)));
          return reason.isPresent() ? reason : endedElsewhere(handle, near, id);
        });
  }

  private Optional<WaitReason> endedElsewhere(Handle handle, Window searched, JobId id)
      throws SQLException {
    List<WaitReason> found = new ArrayList<>();
    history.elsewhere(
        handle.getConnection(),
        searched,
        List.of(id.value()),
        (window, ids) -> {
          ask(handle, ended, window, id, row -> JobState.valueOf(row.getString(1)))
              .ifPresent(state -> found.add(new WaitReason.NotWaiting(state)));
          return found.isEmpty() ? Set.of() : ids;
        });
    return found.stream().findFirst();
  }

  /** Reads one row. */
  @FunctionalInterface
  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> Optional<T> ask(
      Handle handle, String sql, Window window, JobId id, Reader<T> reader) {
    return handle
        .createQuery(sql)
        .addCustomizer(CustomPlan.INSTANCE)
        .bind("id", id.value())
        .bind("from", window.start())
        .bind("to", window.end())
        .bind("most", JobQueries.MOST_COUNTED)
        .map((row, context) -> reader.read(row))
        .findFirst();
  }

  private List<Candidate> living(Handle handle) {
    return handle
        .createQuery(living)
        .map((row, context) ->
            new Candidate(
                row.getString(1),
                SqlValues.strings(row, 2),
                SqlValues.strings(row, 3),
                SqlValues.strings(row, 4),
                NodeRows.modes(row.getString(5), SqlValues.strings(row, 6)),
                NodeRows.lostLanes(SqlValues.strings(row, 7)),
                row.getInt(8)))
        .list();
  }

  private static WaitReason reason(ResultSet row, Supplier<List<Candidate>> living)
      throws SQLException {
    JobState state = JobState.valueOf(row.getString(1));
    return switch (state) {
      case SCHEDULED -> new WaitReason.NotDue(SqlValues.instant(row, 4));
      case READY -> whileReady(row, living);
      case CLAIMED -> new WaitReason.Prefetched(String.valueOf(row.getString(5)));
      case ON_HOLD -> new WaitReason.RunPaused(row.getObject(19, UUID.class));
      case WAITING -> new WaitReason.Parked(row.getString(20), SqlValues.instant(row, 4));
      case RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED -> new WaitReason.NotWaiting(state);
    };
  }

  /**
   * Returns the first obstacle: first a pause, which an operator requested, then a missing node,
   * then a breaker or a full limit, then other jobs.
   */
  private static WaitReason whileReady(ResultSet row, Supplier<List<Candidate>> living)
      throws SQLException {
    String queue = row.getString(2);
    String task = row.getString(3);
    boolean paused = row.getBoolean(6);
    Integer limit = row.getObject(7, Integer.class);
    int crashes = row.getInt(9);
    long held = row.getLong(10);
    if (paused) {
      return new WaitReason.QueuePaused(queue, row.getString(21), SqlValues.instantOrNull(row, 22));
    }
    Optional<WaitReason> lacking =
        EligibleNodes.lacking(queue, task, row.getString(8), living.get());
    if (lacking.isPresent()) {
      return lacking.get();
    }
    Instant openUntil = SqlValues.instantOrNull(row, 15);
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
        ? new WaitReason.CrashSuspect(crashes, row.getLong(13))
        : new WaitReason.Queued(
            Math.min(JobQueries.MOST_COUNTED, row.getLong(11) + row.getLong(12)),
            SqlValues.ofMicros(Math.max(0, row.getLong(14))));
  }
}
