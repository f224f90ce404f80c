package dev.holdfast.postgres.finish;

import static java.util.stream.Collectors.toSet;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Recognises finishes that were stored before but whose reply was lost.
 *
 * <p>A token belongs to one claim, so a trace of it is proof: the row in history or in the
 * dead-letter queue has it, the live row has it as {@code done_token} because the job was sent back
 * to run again, or a stored failure carries it.
 */
final class RepeatedFinishes {
  // By job_history_id of the partitions of a window.
  private static final String ENDED =
      """
      select a.id, a.token, h.state, h.token = a.token,
             coalesce(h.failures @> ${failed}, false)
      from unnest(:ids::uuid[], :tokens::bigint[]) a(id, token)
      join ${schema}.job_history h on h.id = a.id
      where h.finished_at >= :from and h.finished_at < :to\
      """;

  // As above, and by dead_letter_pkey and job_pkey.
  private static final String TRACES =
      """
      with asked as (
        select * from unnest(:ids::uuid[], :tokens::bigint[]) a(id, token)
      )
      ${ended}
      union all
      select a.id, a.token, 'FAILED', d.token = a.token,
             coalesce(d.failures @> ${failed}, false)
      from asked a join ${schema}.dead_letter d on d.id = a.id
      union all
      select a.id, a.token, 'LIVE', coalesce(j.done_token = a.token, false),
             coalesce(j.failures @> ${failed}, false)
      from asked a join ${schema}.job j on j.id = a.id
      """;

  private static final String FAILED = "jsonb_build_array(jsonb_build_object('token', a.token))";

  private final HistorySearch history;
  private final String traces;
  private final String ended;

  RepeatedFinishes(Database database) {
    this.history = new HistorySearch(database);
    this.traces = complete(database, TRACES.replace("${ended}", ENDED));
    this.ended = complete(database, ENDED);
  }

  private static String complete(Database database, String statement) {
    return database.sql(statement.replace("${failed}", FAILED));
  }

  /**
   * What is stored about an attempt.
   *
   * @param state where its job is now
   * @param latest whether it is the latest attempt that left a trace there
   * @param failed whether its failure is stored
   */
  private record Trace(ClaimId held, String state, boolean latest, boolean failed) {}

  /** Returns the results of the finishes that were stored before. The others are not in the map. */
  Map<ClaimId, Result> recognise(Handle handle, List<Finish> finishes) throws SQLException {
    Map<ClaimId, Trace> found = traces(handle, finishes);
    Map<ClaimId, Result> results = new HashMap<>();
    for (Finish finish : finishes) {
      Trace trace = found.get(finish.claim());
      if (trace != null) {
        results.put(finish.claim(), result(finish, trace));
      }
    }
    return results;
  }

  private static Result result(Finish finish, Trace trace) {
    boolean cancelled = trace.latest && trace.state.equals("CANCELLED");
    boolean written =
        switch (finish) {
          case Finish.Succeeded f -> trace.latest && trace.state.equals("SUCCEEDED");
          case Finish.Cancelled f -> cancelled;
          case Finish.Dead f -> trace.failed;
          case Finish.RetryIn f -> trace.failed;
          case Finish.Later f -> trace.latest && trace.state.equals("LIVE");
          case Finish.Parked f -> trace.latest && trace.state.equals("LIVE");
        };
    boolean again =
        finish instanceof Finish.RetryIn
            || finish instanceof Finish.Later
            || finish instanceof Finish.Parked;
    if (again && cancelled) {
      return Result.CANCELLED_INSTEAD;
    }
    return written ? Result.WRITTEN : Result.LOST;
  }

  private Map<ClaimId, Trace> traces(Handle handle, List<Finish> finishes) throws SQLException {
    Map<ClaimId, Trace> found = new HashMap<>();
    Window near =
        HistorySearch.near(finishes.stream().map(finish -> finish.claim().id().value()).toList());
    read(handle, traces, near, finishes, found);
    List<UUID> missing =
        finishes.stream()
            .filter(finish -> !found.containsKey(finish.claim()))
            .map(finish -> finish.claim().id().value())
            .toList();
    history.elsewhere(
        handle.getConnection(),
        near,
        missing,
        (window, ids) -> {
          read(
              handle,
              ended,
              window,
              finishes.stream().filter(f -> ids.contains(f.claim().id().value())).toList(),
              found);
          return found.keySet().stream().map(held -> held.id().value()).collect(toSet());
        });
    return found;
  }

  private static void read(
      Handle handle, String sql, Window window, List<Finish> finishes, Map<ClaimId, Trace> found) {
    List<UUID> ids = new ArrayList<>();
    List<Long> tokens = new ArrayList<>();
    for (Finish finish : finishes) {
      ids.add(finish.claim().id().value());
      tokens.add(finish.claim().token());
    }
    handle
        .createQuery(sql)
        .addCustomizer(CustomPlan.INSTANCE)
        .bindArray("ids", UUID.class, ids)
        .bindArray("tokens", Long.class, tokens)
        .bind("from", window.start())
        .bind("to", window.end())
        .map((row, context) ->
            new Trace(
                new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)),
                row.getString(3),
                row.getBoolean(4),
                row.getBoolean(5)))
        .forEach(trace -> found.put(trace.held, trace));
  }
}
