package dev.holdfast.postgres.upkeep;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.Upkeep;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlFailures;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import dev.holdfast.postgres.schema.Partitions;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates partitions and deletes what is past its retention.
 *
 * <p>Every step is a short transaction that deletes a bounded number of rows, repeated for a while
 * if there are more: tens of thousands of keys can expire in a second. Each step first takes its
 * own advisory lock and does nothing if another node has it, so that one node at a time does it. A
 * step that fails is tried again in the next round and does not affect the others.
 *
 * <p>The name of a step is part of its advisory lock, so nodes of different versions must use the
 * same names.
 */
public final class PgUpkeep implements Upkeep {
  private static final Logger log = LoggerFactory.getLogger(PgUpkeep.class);
  private static final int BATCH = 1000;

  /** How long one step is repeated before the next step runs. */
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

  // By job_history_default_finished.
  private static final String HISTORY =
      """
      delete from ${schema}.job_history_default
      where ctid = any(array(
        select ctid from ${schema}.job_history_default
        where finished_at < now() - :retention * interval '1 microsecond'
        order by finished_at limit :batch))
      """;

  // By dead_letter_finished and run_pkey. A row that is being retried is skipped; a retry of an
  // open
  // run needs those of its steps.
  private static final String DEAD_LETTERS =
      """
      delete from ${schema}.dead_letter
      where id = any(array(
        select d.id from ${schema}.dead_letter d
        where d.finished_at < now() - :retention * interval '1 microsecond'
          and not exists (select from ${schema}.run r where r.id = d.run_id)
        order by finished_at limit :batch for update skip locked))
      """;

  // By job_history_result_until and job_history_id of the partitions of a window. By id and not by
  // ctid, because a ctid is unique only within its partition.
  private static final String RESULTS =
      """
      update ${schema}.job_history set result = null, result_until = null
      where id = any(array(
          select id from ${schema}.job_history
          where result_until <= now() and finished_at >= '${from}' and finished_at < '${to}'
          limit :batch))
        and result_until <= now() and finished_at >= '${from}' and finished_at < '${to}'
      """;

  // By unique_ledger_expires.
  private static final String LEDGER =
      """
      delete from ${schema}.unique_ledger
      where ctid = any(array(
        select ctid from ${schema}.unique_ledger
        where expires_at <= now() order by expires_at limit :batch for update skip locked))
      """;

  // By enqueue_repeat_at. A first attempt that arrives after that is treated as a new job.
  private static final String REPEATS =
      """
      delete from ${schema}.enqueue_repeat
      where ctid = any(array(
        select ctid from ${schema}.enqueue_repeat
        where repeated_at < now() - interval '1 day'
        order by repeated_at limit :batch for update skip locked))
      """;

  // By trigger_subject_forget.
  private static final String SUBJECTS =
      """
      delete from ${schema}.trigger_subject
      where ctid = any(array(
        select ctid from ${schema}.trigger_subject
        where forget_at <= now() order by forget_at limit :batch for update skip locked))
      """;

  // By job_held. Sweeps start at the oldest claim call that a node reported in its last heartbeat.
  // If a dead node holds jobs of an earlier call, sweeps must start at the first call.
  private static final String HELD_BY_DEAD =
      """
      update ${schema}.node n set from_call = 0
      where n.state = 'DEAD' and n.from_call > 0
        and exists (
          select from ${schema}.job j
          where j.incarnation = n.incarnation and j.claim_no < n.from_call
            and j.state in ('CLAIMED', 'RUNNING'))
      """;

  // By job_held. A dead node has no more jobs after its last claims have been committed and swept.
  // If that was wrong, the next round corrects it.
  private static final String SWEPT_NODES =
      """
      update ${schema}.node n set swept = not n.swept
      where n.state = 'DEAD' and n.died_at < now() - interval '10 minutes'
        and n.swept = exists (
          select from ${schema}.job j
          where j.incarnation = n.incarnation
            and j.state in ('CLAIMED', 'RUNNING'))
      """;

  // By job_held. Dead nodes are kept for a day, and for as long as they hold any job, so that their
  // late claims are found.
  private static final String NODES =
      """
      delete from ${schema}.node n
      where n.state = 'DEAD' and n.died_at < now() - interval '1 day'
        and not exists (
          select from ${schema}.job j
          where j.incarnation = n.incarnation and j.state in ('CLAIMED', 'RUNNING'))
      """;

  // By heartbeat_expires.
  private static final String HEARTBEATS =
      """
      delete from ${schema}.heartbeat
      where ctid = any(array(
        select ctid from ${schema}.heartbeat
        where expires_at <= now() order by expires_at limit :batch))
      """;

  // By tally_pkey.
  private static final String TALLY =
      """
      delete from ${schema}.tally
      where day < ((now() - :retention * interval '1 microsecond') at time zone 'UTC')::date
      """;

  // By tally_pkey. Writers change to new shards after a while, and nodes come and go. A writer that
  // still uses a shard creates it again; a row that is being written is left for the next round.
  private static final String MERGE_SHARDS =
      """
      with merged as (
        delete from ${schema}.tally
        where ctid = any(array(
          select ctid from ${schema}.tally
          where shard <> '00000000-0000-0000-0000-000000000000'
          order by day, queue, task, state limit :batch for update skip locked))
        returning day, queue, task, state, count
      ), summed as (
        insert into ${schema}.tally as t (day, queue, task, state, shard, count)
        select day, queue, task, state, '00000000-0000-0000-0000-000000000000', sum(count)
        from merged
        group by day, queue, task, state
        on conflict (day, queue, task, state, shard) do update set count = t.count + excluded.count
      )
      select count(*) from merged
      """;

  // By lease_ended. A DONE lease that still blocks requests with once is kept.
  private static final String LEASES =
      """
      delete from ${schema}.lease
      where key = any(array(
        select key from ${schema}.lease
        where ended_at < now() - :retention * interval '1 microsecond'
          and (state <> 'DONE' or expires_at <= now())
        order by ended_at limit :batch for update skip locked))
      """;

  // By lease_expires. Its holder never came back and no other caller acquired it. It is unfinished,
  // like a dead-lettered job, and is kept as long. Tokens come from a sequence and keep growing.
  private static final String ABANDONED_LEASES =
      """
      delete from ${schema}.lease
      where key = any(array(
        select key from ${schema}.lease
        where state = 'CLAIMED' and expires_at < now() - :retention * interval '1 microsecond'
        order by expires_at limit :batch for update skip locked))
      """;

  // Reads all schedules, which are few. Schedules that are declared in code are deleted with their
  // declaration.
  private static final String SCHEDULES =
      """
      delete from ${schema}.schedule
      where id = any(array(
        select id from ${schema}.schedule
        where application is null and next_fire is null
          and ends_at < now() - :retention * interval '1 microsecond'
        order by id limit :batch for update skip locked))
      """;

  private static final String TRY_LOCK =
      "select pg_try_advisory_xact_lock(hashtextextended(:name, 0))";

  private final Database database;
  private final Partitions partitions;
  private final HistorySearch search;

  public PgUpkeep(Database database) {
    this(database, false);
  }

  /**
   * @param oneOfMany whether the schema is one of many, of which most have little history
   */
  public PgUpkeep(Database database, boolean oneOfMany) {
    this.database = database;
    this.partitions = new Partitions(database, handle -> isAlone(handle, "partitions"), oneOfMany);
    this.search = new HistorySearch(database);
  }

  @Override
  public Report tidy(Retention retention) {
    Duration history = retention.history();
    Duration deadLetter = retention.deadLetter();
    Round round = new Round();
    int dropped = partitions.tidy(history);
    round.clear("delete old history", HISTORY, history);
    long dead = round.clear("delete old dead-lettered jobs", DEAD_LETTERS, deadLetter);
    long results = round.clearResults(history);
    round.clear("delete expired unique keys", LEDGER, history);
    round.clear("delete old records of repeated enqueues", REPEATS, history);
    round.clear("delete leases that ended long ago", LEASES, history);
    round.clear("delete leases abandoned long ago", ABANDONED_LEASES, deadLetter);
    round.clear("delete schedules that ended long ago", SCHEDULES, history);
    round.clear("delete old runs", deleteRuns(history));
    round.clear("delete the journals of ended jobs", RunUpkeep.JOURNALS, history);
    round.clear("delete the signals of ended jobs", RunUpkeep.SIGNALS, history);
    round.clear("delete gates without runs", RunUpkeep.GATES, history);
    for (String step : RunUpkeep.DEFINITIONS) {
      round.once("delete workflows that are not used", step, history);
    }
    round.clear("delete old subjects of triggers", SUBJECTS, history);
    round.once("look for jobs that dead nodes still hold", HELD_BY_DEAD, history);
    round.once("mark dead nodes that hold no jobs", SWEPT_NODES, history);
    round.once("delete nodes that died long ago", NODES, history);
    round.clear("delete old heartbeats", HEARTBEATS, history);
    round.once("delete old counts", TALLY, history);
    round.clear("merge counts", this::mergeShards);
    return new Report(dropped, dead, results, round.more);
  }

  private Step deleteRuns(Duration retention) {
    return handle ->
        handle
            .createQuery(database.sql(RunUpkeep.RUNS))
            .bind("retention", SqlValues.micros(retention))
            .bind("batch", BATCH)
            .map((row, context) -> row.getInt(1))
            .one();
  }

  private int mergeShards(Handle handle) {
    return handle
        .createQuery(database.sql(MERGE_SHARDS))
        .bind("batch", BATCH)
        .map((row, context) -> row.getInt(1))
        .one();
  }

  /** A part of a round; returns how many rows it changed. */
  @FunctionalInterface
  private interface Step {
    int run(Handle handle);
  }

  /** One round, and whether any of its steps stopped with more to do. */
  private final class Round {
    private boolean more;

    /**
     * Repeats a step until nothing is left or its time is over. Returns how many rows it changed.
     */
    long clear(String operation, String sql, Duration retention) {
      return clear(operation, step(sql, retention));
    }

    long clear(String operation, Step step) {
      long started = System.nanoTime();
      long sum = 0;
      int count;
      do {
        count = once(operation, step);
        sum += count;
      } while (count >= BATCH && System.nanoTime() - started < PATIENCE);
      more |= count >= BATCH;
      return sum;
    }

    /**
     * Deletes expired results, a few partitions at a time: a statement over all of history would
     * lock all partitions.
     */
    long clearResults(Duration retention) {
      List<Window> windows =
          database.run("list the partitions of history", h -> search.all(h.getConnection()));
      return windows.stream()
          .mapToLong(window ->
              clear(
                  "delete old results",
                  RESULTS
                      .replace("${from}", text(window.start()))
                      .replace("${to}", text(window.end())),
                  retention))
          .sum();
    }

    /** Runs a step once. Returns how many rows it changed. */
    int once(String operation, String sql, Duration retention) {
      return once(operation, step(sql, retention));
    }

    private int once(String operation, Step step) {
      try {
        return database.transaction(
            operation, handle -> isAlone(handle, operation) ? step.run(handle) : 0);
      } catch (StoreException failure) {
        // Without a connection the other steps would fail as well, each after a timeout.
        if (SqlFailures.isOfConnection(failure)) {
          throw failure;
        }
        log.warn("{} The next round of upkeep tries again.", failure.getMessage());
        return 0;
      }
    }
  }

  private Step step(String sql, Duration retention) {
    return handle ->
        handle
            .createUpdate(database.sql(sql))
            .bind("retention", SqlValues.micros(retention))
            .bind("batch", BATCH)
            .execute();
  }

  private static String text(OffsetDateTime time) {
    return time.equals(OffsetDateTime.MIN)
        ? "-infinity"
        : time.equals(OffsetDateTime.MAX) ? "infinity" : time.toString();
  }

  private boolean isAlone(Handle handle, String step) {
    return handle
        .createQuery(TRY_LOCK)
        .bind("name", "holdfast upkeep " + database.schema() + ": " + step)
        .map((row, context) -> row.getBoolean(1))
        .one();
  }
}
