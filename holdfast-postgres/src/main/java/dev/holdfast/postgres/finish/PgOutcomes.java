package dev.holdfast.postgres.finish;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.FailureJson;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.PausedRuns;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Stores how attempts ended.
 *
 * <p>There is one statement for each kind of outcome, over arrays sorted by id. All use job_pkey,
 * and hide their guards from the planner inside {@code coalesce}, as {@code Starts} does.
 */
public final class PgOutcomes implements Outcomes {
  private static final String SUCCEED =
      """
      with gone as (
        delete from ${schema}.job j
        using unnest(:ids::uuid[], :tokens::bigint[], :results::text[], :keeps::bigint[])
          f(id, token, result, keep)
        where j.id = f.id and j.token = f.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
        returning j.*, 'SUCCEEDED' as ended, ${node} as node, f.result,
                  now() + f.keep * interval '1 microsecond' as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """;

  // Without the parts for runs, which would look up every plain job twice and find nothing.
  private static final String SUCCEED_PLAIN =
      SUCCEED
          .replace("${history}", "${plain}")
          .replace(
              "j.incarnation = :incarnation,",
              "j.incarnation = :incarnation and j.run_id is null,");

  // Without a failure the attempt does not count. Only a job that never started can expire, so
  // start_by is cleared if its code has run.
  private static final String AGAIN =
      """
      update ${schema}.job j set
        ${state}
        run_at = now() + f.delay * interval '1 microsecond',
        rank = now() + (f.delay - j.priority * :aging) * interval '1 microsecond',
        start_by = case when f.ran then null else j.start_by end,
        capped = false,
        done_token = j.token,
        attempt = case when f.failure is null then j.attempt - 1 else j.attempt end,
        failures = ${failures}
      from unnest(
          :ids::uuid[], :tokens::bigint[], :delays::bigint[], :failures::text[], :ran::boolean[])
        f(id, token, delay, failure, ran)
      where j.id = f.id and j.token = f.token
        and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
        and not j.cancel_requested and j.run_id is ${kind}
      returning j.id, j.token
      """;

  private static final String AGAIN_PLAIN =
      AGAIN
          .replace("${state}", "state = case when f.delay > 0 then 'SCHEDULED' else 'READY' end,")
          .replace("${kind}", "null");

  // Follows the lock on the runs.
  private static final String AGAIN_STEPS =
      AGAIN
          .replace(
              "${state}",
              """
              state = case when ${paused} then 'ON_HOLD'
                           when f.delay > 0 then 'SCHEDULED' else 'READY' end,
              held_from = case when not ${paused} then null
                               when f.delay > 0 then 'SCHEDULED' else 'READY' end,\
              """)
          .replace("${kind}", "not null");

  // Follows AGAIN in the same transaction. A job that AGAIN has locked cannot be cancelled any
  // more, so no request is missed between the two.
  private static final String CANCEL =
      """
      with gone as (
        delete from ${schema}.job j
        using unnest(:ids::uuid[], :tokens::bigint[], :failures::text[]) f(id, token, failure)
        where j.id = f.id and j.token = f.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
          and (j.cancel_requested or not :requestedOnly)
        returning ${columns}, ${failures} as failures, 'CANCELLED' as ended,
                  ${node} as node, null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """;

  private static final String BURY =
      """
      with gone as (
        delete from ${schema}.job j
        using unnest(:ids::uuid[], :tokens::bigint[], :failures::text[]) f(id, token, failure)
        where j.id = f.id and j.token = f.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
        returning ${columns}, ${failures} as failures, 'FAILED' as ended,
                  ${node} as node
      ), dead as (
        ${dead}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """;

  // By job_pkey. Skips a job that is being finished, cancelled or recovered rather than wait for
  // it, so that it cannot deadlock with statements that lock several jobs.
  private static final String NOTE =
      """
      with mine as (
        select j.id, n.note
        from unnest(:ids::uuid[], :tokens::bigint[], :texts::text[]) n(id, token, note)
        join ${schema}.job j on j.id = n.id
        where j.token = n.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
        for update of j skip locked
      )
      update ${schema}.job j set notes = mine.note
      from mine where j.id = mine.id
      returning j.id, j.token
      """;

  private static final String NODE =
      "(select n.id from ${schema}.node n where n.incarnation = :incarnation)";

  private final Database database;
  private final long agingMicros;
  private final TallyShards shards = new TallyShards();
  private final RepeatedFinishes repeats;
  private final String succeed;
  private final String succeedPlain;
  private final PausedRuns pausedRuns;
  private final Parking parking;
  private final String again;
  private final String againSteps;
  private final String cancel;
  private final String bury;
  private final String note;

  public PgOutcomes(Database database, Duration aging) {
    this.database = database;
    this.agingMicros = SqlValues.micros(aging);
    this.repeats = new RepeatedFinishes(database);
    this.succeed = complete(SUCCEED);
    this.succeedPlain = complete(SUCCEED_PLAIN);
    this.pausedRuns = new PausedRuns(database);
    this.parking = new Parking(database, aging);
    this.again = complete(AGAIN_PLAIN);
    this.againSteps = complete(PausedRuns.in(AGAIN_STEPS));
    this.cancel = complete(CANCEL);
    this.bury = complete(BURY);
    this.note = database.sql(NOTE);
  }

  private String complete(String statement) {
    return database.sql(History.into(statement).replace("${node}", NODE));
  }

  @Override
  public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
    Sorted sorted = Sorted.of(finishes);
    String operation = "store the outcome of %d attempts".formatted(finishes.size());
    // A single statement is a transaction by itself and saves the round trip of the commit.
    Map<ClaimId, Result> results;
    try (TallyShards.Shard shard = shards.take()) {
      Writer writer = new Writer(incarnation, shard.id());
      results =
          sorted.isOneStatement()
              ? database.run(operation, handle -> write(handle, writer, sorted))
              : database.transaction(operation, handle -> write(handle, writer, sorted));
    }
    return finishes.stream().map(f -> results.getOrDefault(f.claim(), Result.LOST)).toList();
  }

  private Map<ClaimId, Result> write(Handle handle, Writer writer, Sorted finishes)
      throws SQLException {
    Map<ClaimId, Result> results = new HashMap<>();
    note(results, Result.WRITTEN, again(handle, again, writer, finishes.again));
    List<Again> steps = others(finishes.again, results);
    // Before successes are written, because runs are locked before any of their jobs.
    List<UUID> continuing = finishes.continuing(steps);
    if (!continuing.isEmpty() && pausedRuns.lock(handle, continuing)) {
      note(results, Result.WRITTEN, again(handle, againSteps, writer, steps));
    }
    results.putAll(parking.park(handle, writer.incarnation, finishes.parked));
    note(results, Result.WRITTEN, succeed(handle, succeedPlain, writer, finishes.plain));
    note(results, Result.WRITTEN, succeed(handle, succeed, writer, finishes.succeeded));
    List<Again> stopped = others(finishes.runningAgain(), results);
    note(results, Result.CANCELLED_INSTEAD, again(handle, cancel, writer, stopped));
    note(results, Result.WRITTEN, cancel(handle, writer, finishes.cancelled));
    note(results, Result.WRITTEN, bury(handle, writer, finishes.dead));
    List<Finish> missing =
        finishes.all.stream().filter(f -> !results.containsKey(f.claim())).toList();
    if (!missing.isEmpty()) {
      results.putAll(repeats.recognise(handle, missing));
    }
    return results;
  }

  private static List<Again> others(List<Again> finishes, Map<ClaimId, Result> results) {
    return finishes.stream().filter(f -> !results.containsKey(f.held())).toList();
  }

  @Override
  public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
    return database.run(
        "store the notes of %d jobs".formatted(notes.size()),
        handle ->
            Set.copyOf(
                held(
                    handle
                        .createQuery(note)
                        .bind("incarnation", incarnation)
                        .bindArray("ids", UUID.class, column(notes, n -> n.claim().id().value()))
                        .bindArray("tokens", Long.class, column(notes, n -> n.claim().token()))
                        .bindArray("texts", String.class, column(notes, Note::text)))));
  }

  private List<ClaimId> succeed(
      Handle handle, String sql, Writer writer, List<Finish.Succeeded> finishes) {
    return finishes.isEmpty()
        ? List.of()
        : held(
            bind(handle, sql, writer, finishes, Finish::claim)
                .bindArray("results", String.class, column(finishes, Finish.Succeeded::result))
                .bindArray(
                    "keeps",
                    Long.class,
                    column(finishes, f -> SqlValues.microsOrNull(f.keepResult()))));
  }

  private List<ClaimId> again(Handle handle, String sql, Writer writer, List<Again> finishes) {
    return finishes.isEmpty()
        ? List.of()
        : held(
            bind(handle, sql, writer, finishes, Again::held)
                .bind("aging", agingMicros)
                .bind("requestedOnly", true)
                .bindArray("delays", Long.class, column(finishes, f -> SqlValues.micros(f.delay())))
                .bindArray("failures", String.class, column(finishes, Again::failure))
                .bindArray("ran", Boolean.class, column(finishes, Again::ran)));
  }

  private List<ClaimId> cancel(Handle handle, Writer writer, List<Finish.Cancelled> finishes) {
    return finishes.isEmpty()
        ? List.of()
        : held(
            bind(handle, cancel, writer, finishes, Finish::claim)
                .bind("requestedOnly", false)
                .bindArray("failures", String.class, column(finishes, f -> null)));
  }

  private List<ClaimId> bury(Handle handle, Writer writer, List<Finish.Dead> finishes) {
    return finishes.isEmpty()
        ? List.of()
        : held(
            bind(handle, bury, writer, finishes, Finish::claim)
                .bindArray(
                    "failures",
                    String.class,
                    column(finishes, f -> FailureJson.write(f.failure(), f.claim().token()))));
  }

  private <F> Query bind(
      Handle handle, String sql, Writer writer, List<F> finishes, Function<F, ClaimId> held) {
    return handle
        .createQuery(sql)
        .bind("incarnation", writer.incarnation)
        .bind("shard", writer.shard)
        .bindArray("ids", UUID.class, column(finishes, f -> held.apply(f).id().value()))
        .bindArray("tokens", Long.class, column(finishes, f -> held.apply(f).token()));
  }

  private static List<ClaimId> held(Query query) {
    return query
        .map((row, context) -> new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)))
        .list();
  }

  private static void note(Map<ClaimId, Result> results, Result result, List<ClaimId> done) {
    done.forEach(held -> results.put(held, result));
  }

  private static <F, V> List<@Nullable V> column(List<F> rows, Function<F, @Nullable V> value) {
    List<@Nullable V> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(value.apply(row)));
    return values;
  }

  /**
   * Who writes the outcomes.
   *
   * @param shard the rows of the tally that only this transaction writes
   */
  private record Writer(UUID incarnation, UUID shard) {}

  /** A retry or a postponement: the two outcomes after which the job runs again. */
  private record Again(ClaimId held, Duration delay, @Nullable String failure, boolean ran) {}

  /** Outcomes by kind, each sorted by id. */
  private record Sorted(
      List<Finish> all,
      List<Finish.Succeeded> plain,
      List<Finish.Succeeded> succeeded,
      List<Again> again,
      List<Finish.Parked> parked,
      List<Finish.Cancelled> cancelled,
      List<Finish.Dead> dead) {

    static Sorted of(List<? extends Finish> finishes) {
      Sorted sorted =
          new Sorted(
              new ArrayList<>(finishes),
              new ArrayList<>(finishes.size()),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>());
      sorted.all.sort(Comparator.comparing(f -> f.claim().id()));
      sorted.all.forEach(sorted::add);
      return sorted;
    }

    private void add(Finish finish) {
      switch (finish) {
        case Finish.Succeeded f -> (f.plain() ? plain : succeeded).add(f);
        case Finish.RetryIn(ClaimId held, Duration delay, Finish.Failure failure) ->
            again.add(new Again(held, delay, FailureJson.write(failure, held.token()), true));
        case Finish.Later(ClaimId held, Duration delay, boolean ran) ->
            again.add(new Again(held, delay, null, ran));
        case Finish.Parked f -> parked.add(f);
        case Finish.Dead f -> dead.add(f);
        case Finish.Cancelled f -> cancelled.add(f);
      }
    }

    /** Returns the jobs that are not held any more and have not ended, of those in runs. */
    List<UUID> continuing(List<Again> steps) {
      return Stream.concat(
              steps.stream().map(Again::held), parked.stream().map(Finish.Parked::claim))
          .map(held -> held.id().value())
          .toList();
    }

    /** Returns the outcomes after which jobs run again, unless they are to be cancelled. */
    List<Again> runningAgain() {
      return Stream.concat(
              again.stream(),
              parked.stream().map(f -> new Again(f.claim(), Duration.ZERO, null, true)))
          .sorted(Comparator.comparing(f -> f.held().id()))
          .toList();
    }

    boolean isOneStatement() {
      return succeeded.size() == all.size() || plain.size() == all.size();
    }
  }
}
