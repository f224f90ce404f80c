package dev.holdfast.postgres.query;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.engine.store.JobControl;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import dev.holdfast.postgres.job.JobColumns;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Cancels, retries, requeues and purges jobs. */
public final class PgJobControl implements JobControl {
  private static final int MOST_LOOKS = 10;

  // By job_pkey. A CLAIMED job has not started: the start by its holder will find no row.
  private static final String CANCEL =
      """
      with gone as (
        delete from ${schema}.job j
        where j.id = :id and j.state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING', 'ON_HOLD')
        returning j.*, 'CANCELLED' as ended,
          (select n.id from ${schema}.node n where n.incarnation = j.incarnation) as node,
          null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select id from gone
      """;

  // By job_pkey.
  private static final String REQUEST_CANCEL =
      """
      update ${schema}.job set cancel_requested = true
      where id = :id and state = 'RUNNING'
      """;

  // By job_pkey.
  private static final String HASTEN =
      """
      update ${schema}.job set
        state = 'READY', waits_for = null,
        run_at = now(), rank = now() - priority * :aging * interval '1 microsecond'
      where id = :id and state in ('SCHEDULED', 'WAITING')
      """;

  // By job_pkey. The holder hands the job back at its next heartbeat.
  private static final String REQUEST_RELEASE =
      """
      update ${schema}.job set release_requested = true
      where id = :id and state in ('CLAIMED', 'RUNNING')
      """;

  // By job_pkey.
  private static final String IS_READY =
      "select exists (select from ${schema}.job where id = :id and state = 'READY')";

  // By job_history_id of the partitions of a window.
  private static final String ENDED =
      """
      select 'ENDED' from ${schema}.job_history
      where id = :id and finished_at >= :from and finished_at < :to\
      """;

  // By job_pkey, job_history_id of the partitions of a window, and dead_letter_pkey.
  private static final String WHERE =
      """
      select 'LIVE' from ${schema}.job where id = :id
      union all
      ${ended}
      union all
      select 'FAILED' from ${schema}.dead_letter where id = :id
      """;

  // By dead_letter_pkey. Inserted first and removed only if that succeeded: a job whose unique key
  // conflicts on job_unique stays in the dead-letter queue.
  private static final String RETRY =
      """
      with picked as (
        select * from ${schema}.dead_letter d where d.id = :id and d.run_id is null for update
      ), moved as (
        ${revive}
      ), removed as (
        delete from ${schema}.dead_letter d using moved m where d.id = m.id
      )
      select (select count(*) from picked), (select count(*) from moved)
      """;

  // By job_pkey and dead_letter_pkey.
  private static final String STEP_OF =
      """
      select run_id, state from ${schema}.job
      where id = :id and state in ('WAITING', 'ON_HOLD') and run_id is not null
      union all
      select run_id, 'FAILED' from ${schema}.dead_letter where id = :id and run_id is not null
      """;

  // By dead_letter_task or dead_letter_tags or, oldest first, dead_letter_pkey; keys by job_unique.
  private static final String RETRY_ALL =
      """
      with picked as (
        select * from ${schema}.dead_letter d
        where ${d.matches} and d.finished_at <= :until and d.run_id is null
          and not exists (
            select from ${schema}.job j where j.task = d.task and j.unique_key = d.unique_key)
        order by d.id limit :limit for update skip locked
      ), moved as (
        ${revive}
      ), removed as (
        delete from ${schema}.dead_letter d using moved m where d.id = m.id
      )
      select queue, count(*) from moved group by queue
      """;

  private static final String REVIVE =
      """
      insert into ${schema}.job (${lasting}, ${given}, run_at, rank, state)
      select ${kept}, ${given},
        now(), now() - priority * :aging * interval '1 microsecond', 'READY'
      from picked
      on conflict do nothing
      returning id, queue
      """;

  // By the same indexes, and run_pkey: the run of a step that failed may be retried.
  private static final String PURGE =
      """
      with gone as (
        delete from ${schema}.dead_letter p
        where p.id = any(array(
          select d.id from ${schema}.dead_letter d
          where ${d.matches} and d.finished_at <= :until
            and (d.run_id is null
              or not exists (select from ${schema}.run r where r.id = d.run_id))
          order by d.id limit :limit for update skip locked))
        returning p.queue
      )
      select queue, count(*) from gone group by queue
      """;

  private final Database database;
  private final long agingMicros;
  private final TallyShards shards = new TallyShards();
  private final String cancel;
  private final String requestCancel;
  private final String hasten;
  private final String requestRelease;
  private final String isReady;
  private final HistorySearch history;
  private final String where;
  private final String ended;
  private final String retry;
  private final String stepOf;
  private final String retryAll;
  private final String purge;

  public PgJobControl(Database database, Duration aging) {
    this.database = database;
    this.agingMicros = SqlValues.micros(aging);
    this.cancel = complete(History.into(CANCEL));
    this.requestCancel = complete(REQUEST_CANCEL);
    this.hasten = complete(HASTEN);
    this.requestRelease = complete(REQUEST_RELEASE);
    this.isReady = complete(IS_READY);
    this.history = new HistorySearch(database);
    this.where = complete(WHERE.replace("${ended}", ENDED));
    this.ended = complete(ENDED);
    this.retry = complete(RETRY);
    this.stepOf = complete(STEP_OF);
    this.retryAll = complete(RETRY_ALL);
    this.purge = complete(PURGE);
  }

  private String complete(String statement) {
    return database.sql(
        FilterSql.complete(statement.replace("${revive}", JobColumns.fromDeadLetter(REVIVE))));
  }

  @Override
  public CancelResult cancel(JobId id) {
    return database.run("cancel job %s".formatted(id), handle -> cancel(handle, id));
  }

  /**
   * Cancels a job. Its state may change between two statements, so this tries again while the job
   * is live.
   */
  private CancelResult cancel(Handle handle, JobId id) throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      boolean ended =
          handle
              .createQuery(cancel)
              .bind("id", id.value())
              .bind("shard", shards.next())
              .map((row, context) -> true)
              .findOne()
              .isPresent();
      if (ended) {
        return CancelResult.CANCELLED;
      }
      if (handle.createUpdate(requestCancel).bind("id", id.value()).execute() > 0) {
        return CancelResult.REQUESTED;
      }
      Optional<String> place = where(handle, id);
      if (place.isEmpty()) {
        return CancelResult.NOT_FOUND;
      }
      if (!place.get().equals("LIVE")) {
        return CancelResult.ALREADY_ENDED;
      }
    }
    throw restless("cancel", id);
  }

  @Override
  public RequeueResult requeue(JobId id) {
    return database.run("requeue job %s".formatted(id), handle -> requeue(handle, id));
  }

  /**
   * Requeues a job. Its state may change between two statements, so this tries again while the job
   * is live.
   */
  private RequeueResult requeue(Handle handle, JobId id) throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      boolean hastened =
          handle.createUpdate(hasten).bind("id", id.value()).bind("aging", agingMicros).execute()
              > 0;
      if (hastened) {
        return RequeueResult.READY;
      }
      if (handle.createUpdate(requestRelease).bind("id", id.value()).execute() > 0) {
        return RequeueResult.REQUESTED;
      }
      if (handle.createQuery(isReady).bind("id", id.value()).mapTo(Boolean.class).one()) {
        return RequeueResult.ALREADY_READY;
      }
      refuseStep(handle, id);
      RetryResult retried = retry(handle, id);
      if (retried != RetryResult.NOT_FAILED) {
        return switch (retried) {
          case READY -> RequeueResult.READY;
          case KEY_TAKEN -> RequeueResult.KEY_TAKEN;
          default -> RequeueResult.NOT_FOUND;
        };
      }
      if (!isLive(handle, id)) {
        return RequeueResult.ENDED;
      }
    }
    throw restless("requeue", id);
  }

  private boolean isLive(Handle handle, JobId id) throws SQLException {
    return where(handle, id).filter("LIVE"::equals).isPresent();
  }

  @Override
  public RetryResult retry(JobId id) {
    return database.run("retry job %s".formatted(id), handle -> retry(handle, id));
  }

  private RetryResult retry(Handle handle, JobId id) throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<RetryResult> result =
          handle
              .createQuery(retry)
              .bind("id", id.value())
              .bind("aging", agingMicros)
              .map((row, context) ->
                  row.getInt(1) == 0
                      ? Optional.<RetryResult>empty()
                      : Optional.of(row.getInt(2) > 0 ? RetryResult.READY : RetryResult.KEY_TAKEN))
              .one();
      if (result.isPresent()) {
        return result.get();
      }
      refuseStep(handle, id);
      Optional<String> place = where(handle, id);
      if (place.isEmpty()) {
        return RetryResult.NOT_FOUND;
      }
      if (!place.get().equals("FAILED")) {
        return RetryResult.NOT_FAILED;
      }
    }
    throw restless("retry", id);
  }

  /** Refuses to change a job on which its run depends. */
  private void refuseStep(Handle handle, JobId id) {
    handle
        .createQuery(stepOf)
        .bind("id", id.value())
        .map((row, context) -> message(id, row.getString(1), row.getString(2)))
        .findFirst()
        .ifPresent(message -> {
          throw new IllegalArgumentException(message);
        });
  }

  private static String message(JobId id, String run, String state) {
    return switch (state) {
      case "FAILED" ->
          "Job %s executed a step of run %s, which has used its outcome: retry run %s instead of the job."
              .formatted(id, run, run);
      case "ON_HOLD" ->
          "Job %s is on hold because run %s is paused: resume the run.".formatted(id, run);
      default ->
          "Job %s of run %s waits for a time or a signal and cannot be requeued."
              .formatted(id, run);
    };
  }

  @Override
  public Step retryAll(JobFilter filter, @Nullable Instant until, int limit) {
    return database.run(
        "retry dead-lettered jobs",
        handle -> {
          Step step = new Step(new HashMap<>(), until == null ? now(handle) : until);
          int last = filter.admits(JobState.FAILED) ? Integer.MAX_VALUE : 0;
          // Of two jobs with the same key one stays, so a short batch may not be the end.
          while (last > 0 && step.count() < limit) {
            last = change(handle, retryAll, filter, limit - step.count(), step);
          }
          return step;
        });
  }

  @Override
  public Step purge(JobFilter filter, @Nullable Instant until, int limit) {
    return database.run(
        "purge dead-lettered jobs",
        handle -> {
          Step step = new Step(new HashMap<>(), until == null ? now(handle) : until);
          if (filter.admits(JobState.FAILED)) {
            int unused = change(handle, purge, filter, limit, step);
          }
          return step;
        });
  }

  private static Instant now(Handle handle) {
    return handle
        .createQuery("select now()")
        .map((row, context) -> SqlValues.instant(row, 1))
        .one();
  }

  /** Changes one batch of dead-lettered jobs, adds it to the step and returns its size. */
  private int change(Handle handle, String sql, JobFilter filter, int limit, Step step) {
    int before = step.count();
    FilterSql.bind(handle.createQuery(sql), filter)
        .addCustomizer(CustomPlan.INSTANCE)
        .bind("until", step.until().atOffset(ZoneOffset.UTC))
        .bind("limit", limit)
        .bind("aging", agingMicros)
        .map((row, context) -> Map.entry(row.getString(1), row.getInt(2)))
        .forEach(moved -> step.jobs().merge(moved.getKey(), moved.getValue(), Integer::sum));
    return step.count() - before;
  }

  private Optional<String> where(Handle handle, JobId id) throws SQLException {
    Window near = HistorySearch.near(List.of(id.value()));
    Optional<String> place = where(handle, where, near, id);
    if (place.isPresent()) {
      return place;
    }
    AtomicReference<@Nullable String> old = new AtomicReference<>();
    history.elsewhere(
        handle.getConnection(),
        near,
        List.of(id.value()),
        (window, ids) -> {
          old.set(where(handle, ended, window, id).orElse(null));
          return old.get() == null ? Set.of() : ids;
        });
    return Optional.ofNullable(old.get());
  }

  private static Optional<String> where(Handle handle, String sql, Window window, JobId id) {
    return handle
        .createQuery(sql)
        .addCustomizer(CustomPlan.INSTANCE)
        .bind("id", id.value())
        .bind("from", window.start())
        .bind("to", window.end())
        .map((row, context) -> row.getString(1))
        .findFirst();
  }

  private static StoreException restless(String action, JobId id) {
    return new StoreException(
        Outcome.RETRYABLE,
        "Could not %s job %s: its state kept changing. Nothing was changed; try again."
            .formatted(action, id),
        null);
  }
}
