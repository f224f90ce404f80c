package dev.holdfast.postgres.liveness;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.FailureJson;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.PausedRuns;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Recovers jobs whose holder is dead.
 *
 * <p>Every write names the token it saw and checks, in the same statement, that the row of the
 * holder says that the holder is dead or still silent. Rows that other transactions have locked are
 * skipped.
 */
public final class PgRecovery implements Recovery {
  // By job_held, starting at the oldest claim call that may still hold jobs, and in its order: the
  // index does not contain the id, so only the jobs of one call have to be sorted.
  private static final String ORPHANS =
      """
      select j.id, j.token, j.claim_no, j.task, j.queue, j.stack, j.state = 'RUNNING', j.attempt,
             j.priority, coalesce(j.crashes, 0), coalesce(j.fencings, 0), j.policy
      from ${schema}.node n
      join ${schema}.job j
        on j.incarnation = n.incarnation and j.claim_no >= greatest(n.from_call, :afterCall)
          and j.state in ('CLAIMED', 'RUNNING')
      where n.incarnation = :holder
        and (n.state = 'DEAD' or (n.beat = :silentAt::bigint and j.state = 'CLAIMED'))
        and case when j.state = 'CLAIMED' then :claimed else :running end
        and (:anyStack or j.stack is null or j.stack = any(:stacks::text[]))
        and (j.claim_no > :afterCall or j.id > :afterId::uuid)
      order by j.claim_no, j.id
      limit :limit
      """;

  // By job_pkey and node_pkey. Locked before anything is decided, in the order of ids.
  private static final String LOCKED =
      """
      select j.id, f.failure, f.delay, f.suspicion
      from unnest(:ids::uuid[], :tokens::bigint[], :failures::text[], :delays::bigint[],
                  :suspicions::text[])
        f(id, token, failure, delay, suspicion)
      join ${schema}.job j on j.id = f.id and j.token = f.token
      where coalesce(j.state in ('CLAIMED', 'RUNNING') and j.incarnation = :holder, false)
        and exists (
          select from ${schema}.node n
          where n.incarnation = :holder
            and (n.state = 'DEAD' or (n.beat = :silentAt::bigint and j.state = 'CLAIMED')))
      order by j.id
      for update of j skip locked
      """;

  // Only a job that never started can still expire.
  private static final String NOT_STARTED =
      """
      with f as materialized (${locked})
      update ${schema}.job j set
        state = case when ${paused} then 'ON_HOLD' else 'READY' end,
        held_from = case when ${paused} then 'READY' end,
        attempt = case when j.state = 'RUNNING' then j.attempt - 1 else j.attempt end,
        start_by = case when j.state = 'RUNNING' then null else j.start_by end,
        capped = false, release_requested = null
      from f
      where j.id = f.id and not j.cancel_requested
      returning j.id, j.token
      """;

  private static final String AFTER_FENCING =
      NOT_STARTED.replace(
          "release_requested = null",
          "release_requested = null, fencings = coalesce(j.fencings, 0) + 1");

  // Without a delay the job keeps its rank.
  private static final String AFTER_CRASH =
      """
      with f as materialized (${locked})
      update ${schema}.job j set
        state = case when ${paused} then 'ON_HOLD'
                     when f.delay > 0 then 'SCHEDULED' else 'READY' end,
        held_from = case when not ${paused} then null
                         when f.delay > 0 then 'SCHEDULED' else 'READY' end,
        run_at = case when f.delay > 0 then now() + f.delay * interval '1 microsecond'
                      else j.run_at end,
        rank = case when f.delay > 0
                    then now() + (f.delay - j.priority * :aging) * interval '1 microsecond'
                    else j.rank end,
        start_by = null,
        attempt = j.attempt - 1,
        crashes = coalesce(j.crashes, 0) + 1,
        suspicion = f.suspicion,
        capped = false, release_requested = null,
        failures = ${failures}
      from f
      where j.id = f.id and not j.cancel_requested
      returning j.id, j.token
      """;

  private static final String CANCEL =
      """
      with f as materialized (${locked}), gone as (
        delete from ${schema}.job j using f
        where j.id = f.id and j.cancel_requested
        returning ${columns}, ${failures} as failures, 'CANCELLED' as ended, ${node} as node,
                  null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """;

  private static final String BURY =
      """
      with f as materialized (${locked}), gone as (
        delete from ${schema}.job j using f
        where j.id = f.id
        returning ${columns}, ${failures} as failures, 'FAILED' as ended, ${node} as node
      ), dead as (
        ${dead}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """;

  private static final String NODE =
      "(select n.id from ${schema}.node n where n.incarnation = :holder)";

  // Only sessions in a transaction, because the others hold no locks. Sessions are named after the
  // process, which may have registered again and be alive. The process that asks is alive, even if
  // it has just declared its own node dead.
  private static final String END_SESSIONS =
      """
      select count(*) filter (where pg_terminate_backend(a.pid))
      from ${schema}.node n
      join pg_stat_activity a on a.application_name = n.session and a.pid <> pg_backend_pid()
      where n.incarnation = :holder and n.state = 'DEAD'
        and a.usename = current_user and a.xact_start is not null
        and n.session <> current_setting('application_name')
        and not exists (
          select from ${schema}.node o where o.session = n.session and o.state = 'ALIVE')
      """;

  private final Database database;
  private final long agingMicros;
  private final TallyShards shards = new TallyShards();
  private final PausedRuns pausedRuns;
  private final String notStarted;
  private final String afterFencing;
  private final String afterCrash;
  private final String cancel;
  private final String bury;

  public PgRecovery(Database database, Duration aging) {
    this.database = database;
    this.agingMicros = SqlValues.micros(aging);
    this.pausedRuns = new PausedRuns(database);
    this.notStarted = complete(NOT_STARTED);
    this.afterFencing = complete(AFTER_FENCING);
    this.afterCrash = complete(AFTER_CRASH);
    this.cancel = complete(CANCEL);
    this.bury = complete(BURY);
  }

  private String complete(String statement) {
    return database.sql(
        PausedRuns.in(History.into(statement.replace("${locked}", LOCKED)))
            .replace("${node}", NODE));
  }

  @Override
  public List<Orphan> orphans(Holder holder, Scope scope, @Nullable Orphan after, int limit) {
    return database.run(
        "look for jobs of incarnation %s".formatted(holder.incarnation()),
        handle ->
            handle
                .createQuery(database.sql(ORPHANS))
                .bind("holder", holder.incarnation())
                .bind("silentAt", holder.silentAt())
                .bind("claimed", scope.claimed())
                .bind("running", scope.running())
                .bind("anyStack", scope.stacks() == null)
                .bindArray(
                    "stacks", String.class, scope.stacks() == null ? List.of() : scope.stacks())
                .bind("afterCall", after == null ? -1 : after.claimNo())
                .bind("afterId", after == null ? null : after.id().value())
                .bind("limit", limit)
                .map((row, context) -> orphan(row))
                .list());
  }

  @Override
  public List<Result> recover(Holder holder, List<? extends RecoveryAction> actions) {
    if (actions.isEmpty()) {
      return List.of();
    }
    Map<ClaimId, Result> results =
        database.transaction(
            "recover %d jobs of incarnation %s".formatted(actions.size(), holder.incarnation()),
            handle -> recover(handle, holder, Sorted.of(actions)));
    return actions.stream().map(r -> results.getOrDefault(r.claim(), Result.NOT_HELD)).toList();
  }

  private Map<ClaimId, Result> recover(Handle handle, Holder holder, Sorted actions) {
    Map<ClaimId, Result> results = new HashMap<>();
    boolean unused = pausedRuns.lock(handle, actions.ids());
    note(results, Result.DONE, write(handle, notStarted, holder, actions.notStarted));
    note(results, Result.DONE, write(handle, afterFencing, holder, actions.afterFencing));
    note(results, Result.DONE, write(handle, afterCrash, holder, actions.afterCrash));
    note(results, Result.DONE, write(handle, bury, holder, actions.bury));
    List<Row> rest = new ArrayList<>(actions.notStarted);
    rest.addAll(actions.afterFencing);
    rest.addAll(actions.afterCrash);
    rest.removeIf(row -> results.containsKey(row.held));
    note(results, Result.CANCELLED_INSTEAD, write(handle, cancel, holder, rest));
    return results;
  }

  private List<ClaimId> write(Handle handle, String sql, Holder holder, List<Row> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    Query query =
        handle
            .createQuery(sql)
            .bind("holder", holder.incarnation())
            .bind("silentAt", holder.silentAt())
            .bind("aging", agingMicros)
            .bind("shard", shards.next())
            .bindArray("ids", UUID.class, column(rows, row -> row.held.id().value()))
            .bindArray("tokens", Long.class, column(rows, row -> row.held.token()))
            .bindArray("failures", String.class, column(rows, row -> row.failure))
            .bindArray("delays", Long.class, column(rows, row -> row.delay))
            .bindArray("suspicions", String.class, column(rows, row -> row.suspicion));
    return query
        .map((row, context) -> new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)))
        .list();
  }

  @Override
  public int endSessions(UUID incarnation) {
    return database.run(
        "end the sessions of incarnation %s".formatted(incarnation),
        handle ->
            handle
                .createQuery(database.sql(END_SESSIONS))
                .bind("holder", incarnation)
                .map((row, context) -> row.getInt(1))
                .one());
  }

  private static Orphan orphan(ResultSet row) throws SQLException {
    return new Orphan(
        new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)),
        row.getLong(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getBoolean(7),
        row.getInt(8),
        row.getInt(9),
        row.getInt(10),
        row.getInt(11),
        row.getString(12));
  }

  private static void note(Map<ClaimId, Result> results, Result result, List<ClaimId> done) {
    done.forEach(held -> results.put(held, result));
  }

  private static <V> List<@Nullable V> column(List<Row> rows, Function<Row, @Nullable V> value) {
    List<@Nullable V> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(value.apply(row)));
    return values;
  }

  /** The columns of a recovery action. */
  private record Row(
      ClaimId held, @Nullable String failure, @Nullable Long delay, @Nullable String suspicion) {
    /** Returns the row of a job that is returned unchanged. */
    static Row back(ClaimId held) {
      return new Row(held, null, null, null);
    }
  }

  /** Recovery actions by kind. */
  private record Sorted(
      List<Row> notStarted, List<Row> afterFencing, List<Row> afterCrash, List<Row> bury) {
    static Sorted of(List<? extends RecoveryAction> actions) {
      Sorted sorted =
          new Sorted(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
      actions.forEach(sorted::add);
      return sorted;
    }

    List<UUID> ids() {
      return Stream.of(notStarted, afterFencing, afterCrash, bury)
          .flatMap(List::stream)
          .map(row -> row.held.id().value())
          .toList();
    }

    private void add(RecoveryAction action) {
      switch (action) {
        case RecoveryAction.NotStarted(ClaimId held) -> notStarted.add(Row.back(held));
        case RecoveryAction.AfterFencing(ClaimId held) -> afterFencing.add(Row.back(held));
        case RecoveryAction.AfterCrash(
                ClaimId held,
                Duration delay,
                Suspicion suspicion,
                var failure) ->
            afterCrash.add(
                new Row(
                    held,
                    FailureJson.writeCrash(failure),
                    SqlValues.micros(delay),
                    suspicion == Suspicion.NONE ? null : suspicion.name()));
        case RecoveryAction.DeadLetter(ClaimId held, var failure) ->
            bury.add(new Row(held, FailureJson.writeCrash(failure), null, null));
      }
    }
  }
}
