package dev.holdfast.postgres;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.CancelAnswer;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueAnswer;
import dev.holdfast.api.job.RetryAnswer;
import dev.holdfast.engine.store.Control;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.FreshPlan;
import dev.holdfast.postgres.db.Values;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Changing one's mind about jobs. */
final class PgControl implements Control {
  private static final int MOST_LOOKS = 10;

  // By job_pkey. A CLAIMED job has not begun: its holder's start will touch nothing.
  private static final String CANCEL =
      """
      with gone as (
        delete from ${schema}.job j
        where j.id = :id and j.state in ('SCHEDULED', 'READY', 'CLAIMED')
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
        state = 'READY', run_at = now(), rank = now() - priority * :aging * interval '1 microsecond'
      where id = :id and state = 'SCHEDULED'
      """;

  // By job_pkey. Whoever holds it gives it back at its next beat.
  private static final String REQUEST_RELEASE =
      """
      update ${schema}.job set release_requested = true
      where id = :id and state in ('CLAIMED', 'RUNNING')
      """;

  // By job_pkey.
  private static final String IS_READY =
      "select exists (select from ${schema}.job where id = :id and state = 'READY')";

  // By job_pkey, job_history_id of each partition, and dead_letter_pkey.
  private static final String WHERE =
      """
      select 'LIVE' from ${schema}.job where id = :id
      union all
      select 'ENDED' from ${schema}.job_history where id = :id
      union all
      select 'FAILED' from ${schema}.dead_letter where id = :id
      """;

  // By dead_letter_pkey. Written first and removed only if that succeeded: whoever meets its unique
  // key on job_unique stays.
  private static final String RETRY =
      """
      with picked as (
        select * from ${schema}.dead_letter d where d.id = :id for update
      ), moved as (
        ${revive}
      ), removed as (
        delete from ${schema}.dead_letter d using moved m where d.id = m.id
      )
      select (select count(*) from picked), (select count(*) from moved)
      """;

  // By dead_letter_task or dead_letter_tags or, oldest first, dead_letter_pkey; keys by job_unique.
  private static final String RETRY_ALL =
      """
      with picked as (
        select * from ${schema}.dead_letter d
        where ${filter}
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
      insert into ${schema}.job
        (id, token, created_at, run_at, rank, priority, state, queue, task, payload, policy, tags,
         unique_key, ledger_key, failures, stack, source)
      select
        id, token, created_at, now(), now() - priority * :aging * interval '1 microsecond',
        priority, 'READY', queue, task, payload, policy, tags, unique_key, ledger_key, failures,
        stack, source
      from picked
      on conflict do nothing
      returning id, queue
      """;

  private static final String PURGE =
      """
      delete from ${schema}.dead_letter p
      where p.id = any(array(
        select d.id from ${schema}.dead_letter d
        where ${filter}
        order by d.id limit :limit for update skip locked))
      """;

  private static final String FILTER =
      """
      (:queue::text is null or d.queue = :queue)
      and (:task::text is null or d.task = :task)
      and (:tag::text is null or d.tags @> array[:tag::text])\
      """;

  private final Database database;
  private final long agingMicros;
  private final UUID shard;
  private final TallyShards shards = new TallyShards();
  private final String cancel;
  private final String requestCancel;
  private final String hasten;
  private final String requestRelease;
  private final String isReady;
  private final String where;
  private final String retry;
  private final String retryAll;
  private final String purge;

  /**
   * @param shard the rows of the tally that only this process writes
   */
  PgControl(Database database, Duration aging, UUID shard) {
    this.database = database;
    this.agingMicros = Values.micros(aging);
    this.shard = shard;
    this.cancel = complete(History.into(CANCEL));
    this.requestCancel = complete(REQUEST_CANCEL);
    this.hasten = complete(HASTEN);
    this.requestRelease = complete(REQUEST_RELEASE);
    this.isReady = complete(IS_READY);
    this.where = complete(WHERE);
    this.retry = complete(RETRY);
    this.retryAll = complete(RETRY_ALL);
    this.purge = complete(PURGE);
  }

  private String complete(String statement) {
    return database.sql(statement.replace("${revive}", REVIVE).replace("${filter}", FILTER));
  }

  @Override
  public CancelAnswer cancel(JobId id) {
    return database.run("cancel job %s".formatted(id), handle -> cancel(handle, id));
  }

  /** A job may change its state between two looks, so this looks again while it is live. */
  private CancelAnswer cancel(Handle handle, JobId id) {
    for (int look = 0; look < MOST_LOOKS; look++) {
      boolean ended =
          handle
              .createQuery(cancel)
              .bind("id", id.value())
              .bind("shard", shards.next(shard))
              .map((row, context) -> true)
              .findOne()
              .isPresent();
      if (ended) {
        return CancelAnswer.CANCELLED;
      }
      if (handle.createUpdate(requestCancel).bind("id", id.value()).execute() > 0) {
        return CancelAnswer.REQUESTED;
      }
      Optional<String> place = where(handle, id);
      if (place.isEmpty()) {
        return CancelAnswer.NOT_FOUND;
      }
      if (!place.get().equals("LIVE")) {
        return CancelAnswer.ALREADY_ENDED;
      }
    }
    throw restless("cancel", id);
  }

  @Override
  public RequeueAnswer requeue(JobId id) {
    return database.run("requeue job %s".formatted(id), handle -> requeue(handle, id));
  }

  /** A job may change its state between two looks, so this looks again while it is live. */
  private RequeueAnswer requeue(Handle handle, JobId id) {
    for (int look = 0; look < MOST_LOOKS; look++) {
      boolean hastened =
          handle.createUpdate(hasten).bind("id", id.value()).bind("aging", agingMicros).execute()
              > 0;
      if (hastened) {
        return RequeueAnswer.READY;
      }
      if (handle.createUpdate(requestRelease).bind("id", id.value()).execute() > 0) {
        return RequeueAnswer.REQUESTED;
      }
      if (handle.createQuery(isReady).bind("id", id.value()).mapTo(Boolean.class).one()) {
        return RequeueAnswer.ALREADY_READY;
      }
      RetryAnswer retried = retry(handle, id);
      if (retried != RetryAnswer.NOT_FAILED) {
        return switch (retried) {
          case READY -> RequeueAnswer.READY;
          case KEY_TAKEN -> RequeueAnswer.KEY_TAKEN;
          default -> RequeueAnswer.NOT_FOUND;
        };
      }
      if (!isLive(handle, id)) {
        return RequeueAnswer.ENDED;
      }
    }
    throw restless("requeue", id);
  }

  private boolean isLive(Handle handle, JobId id) {
    return where(handle, id).filter("LIVE"::equals).isPresent();
  }

  @Override
  public RetryAnswer retry(JobId id) {
    return database.run("retry job %s".formatted(id), handle -> retry(handle, id));
  }

  private RetryAnswer retry(Handle handle, JobId id) {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<RetryAnswer> answer =
          handle
              .createQuery(retry)
              .bind("id", id.value())
              .bind("aging", agingMicros)
              .map((row, context) ->
                  row.getInt(1) == 0
                      ? Optional.<RetryAnswer>empty()
                      : Optional.of(row.getInt(2) > 0 ? RetryAnswer.READY : RetryAnswer.KEY_TAKEN))
              .one();
      if (answer.isPresent()) {
        return answer.get();
      }
      Optional<String> place = where(handle, id);
      if (place.isEmpty()) {
        return RetryAnswer.NOT_FOUND;
      }
      if (!place.get().equals("FAILED")) {
        return RetryAnswer.NOT_FAILED;
      }
    }
    throw restless("retry", id);
  }

  @Override
  public Map<String, Integer> retryAll(JobFilter filter, int limit) {
    Map<String, Integer> moved = new HashMap<>();
    if (!filter.admits(JobState.FAILED)) {
      return moved;
    }
    return database.run(
        "retry jobs of the dead letter",
        handle -> {
          int left = limit;
          int last;
          do {
            last = retryAll(handle, filter, left, moved);
            left -= last;
            // Of two that share a key one stays, so a short batch may not be the end.
          } while (left > 0 && last > 0);
          return moved;
        });
  }

  private int retryAll(
      Handle handle, JobFilter filter, int limit, Map<String, Integer> movedByQueue) {
    int moved = 0;
    for (Map.Entry<String, Integer> entry :
        bind(handle.createQuery(retryAll), filter)
            .bind("limit", limit)
            .bind("aging", agingMicros)
            .map((row, context) -> Map.entry(row.getString(1), row.getInt(2)))
            .list()) {
      movedByQueue.merge(entry.getKey(), entry.getValue(), Integer::sum);
      moved += entry.getValue();
    }
    return moved;
  }

  @Override
  public int purge(JobFilter filter, int limit) {
    return filter.admits(JobState.FAILED)
        ? database.run(
            "purge jobs of the dead letter",
            handle ->
                handle
                    .createUpdate(purge)
                    .addCustomizer(FreshPlan.INSTANCE)
                    .bind("queue", filter.queue())
                    .bind("task", filter.task())
                    .bind("tag", filter.tag())
                    .bind("limit", limit)
                    .execute())
        : 0;
  }

  private Optional<String> where(Handle handle, JobId id) {
    return handle
        .createQuery(where)
        .bind("id", id.value())
        .map((row, context) -> row.getString(1))
        .findFirst();
  }

  private static Query bind(Query query, JobFilter filter) {
    return query
        .addCustomizer(FreshPlan.INSTANCE)
        .bind("queue", filter.queue())
        .bind("task", filter.task())
        .bind("tag", filter.tag());
  }

  private static StoreException restless(String wish, JobId id) {
    return new StoreException(
        Outcome.RETRYABLE,
        "Could not %s job %s: it changes its state all the time. Nothing was changed; ask again."
            .formatted(wish, id),
        null);
  }
}
