package dev.holdfast.postgres.claim;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.HeldColumns;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.PausedRuns;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Handles claims whose code has not run: starts them, hands them back, or ends them because they
 * have expired or were cancelled.
 *
 * <p>The common case is one statement. Only for claims that it did not touch, a second statement
 * finds out why. Guards are inside {@code coalesce}, where the planner cannot see them: otherwise
 * it would scan all jobs that the node holds for each claim (measured: 200 µs for each job instead
 * of 15).
 */
final class Starts {
  private static final String ALIVE =
      """
      exists (select from ${schema}.node n where n.incarnation = :incarnation and n.state = 'ALIVE')\
      """;

  // By job_pkey and, once for the statement, node_pkey: a start by a dead incarnation would count
  // as a crash of code that never ran.
  private static final String START =
      """
      update ${schema}.job j set state = 'RUNNING', attempt = j.attempt + 1, started_at = now()
      from unnest(:ids::uuid[], :tokens::bigint[]) h(id, token)
      where j.id = h.id and j.token = h.token
        and coalesce(j.state = 'CLAIMED' and j.incarnation = :incarnation, false)
        and not j.cancel_requested
        and (j.start_by is null or j.start_by > now())
        and ${alive}
      returning j.id, j.token
      """
          .replace("${alive}", ALIVE);

  // By job_pkey. A repeated start may find the job RUNNING although its code has not started. A job
  // that is still CLAIMED was too late for START, and that decision is final: reading the clock
  // again could leave a job CLAIMED that the caller no longer holds.
  private static final String END_UNWANTED =
      """
      with gone as (
        delete from ${schema}.job j
        using unnest(:ids::uuid[], :tokens::bigint[]) h(id, token)
        where j.id = h.id and j.token = h.token
          and coalesce(j.state in ('CLAIMED', 'RUNNING') and j.incarnation = :incarnation, false)
          and (j.cancel_requested
            or (j.state = 'CLAIMED' and j.start_by is not null and ${alive}))
        returning j.*,
          case when j.cancel_requested then 'CANCELLED' else 'EXPIRED' end as ended,
          (select n.id from ${schema}.node n where n.incarnation = :incarnation) as node,
          null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select id, token from gone
      """
          .replace("${alive}", ALIVE);

  // By job_pkey.
  private static final String RUNNING =
      """
      select j.id, j.token
      from unnest(:ids::uuid[], :tokens::bigint[]) h(id, token)
      join ${schema}.job j on j.id = h.id and j.token = h.token
      where coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false) and ${alive}
      """
          .replace("${alive}", ALIVE);

  // By job_pkey. Only a job that never started can still expire.
  private static final String GIVE_BACK =
      """
      update ${schema}.job j set
        ${state}
        attempt = case when j.state = 'RUNNING' then j.attempt - 1 else j.attempt end,
        start_by = case when j.state = 'RUNNING' and h.ran then null else j.start_by end,
        capped = false
      from unnest(:ids::uuid[], :tokens::bigint[], :ran::boolean[]) h(id, token, ran)
      where j.id = h.id and j.token = h.token
        and coalesce(j.state in ('CLAIMED', 'RUNNING') and j.incarnation = :incarnation, false)
        and not j.cancel_requested and j.run_id is ${kind}
      returning j.id, j.token
      """;

  private static final String GIVE_BACK_PLAIN =
      GIVE_BACK.replace("${state}", "state = 'READY',").replace("${kind}", "null");

  // Follows the lock on the runs.
  private static final String GIVE_BACK_STEPS =
      GIVE_BACK
          .replace(
              "${state}",
              """
              state = case when ${paused} then 'ON_HOLD' else 'READY' end,
              held_from = case when ${paused} then 'READY' end,\
              """)
          .replace("${kind}", "not null");

  private final PausedRuns pausedRuns;
  private final TallyShards shards = new TallyShards();
  private final String start;
  private final String endUnwanted;
  private final String running;
  private final String giveBack;
  private final String giveBackSteps;

  Starts(Database database) {
    this.pausedRuns = new PausedRuns(database);
    this.start = database.sql(START);
    this.endUnwanted = database.sql(History.into(END_UNWANTED));
    this.running = database.sql(RUNNING);
    this.giveBack = database.sql(GIVE_BACK_PLAIN);
    this.giveBackSteps = database.sql(PausedRuns.in(GIVE_BACK_STEPS));
  }

  /** Starts claims and returns those that are running now. */
  Set<ClaimId> start(Handle handle, UUID incarnation, List<ClaimId> claims) {
    Set<ClaimId> started = run(handle, start, incarnation, HeldColumns.of(claims));
    List<ClaimId> others = without(claims, started);
    if (!others.isEmpty()) {
      endUnwanted(handle, incarnation, others);
      started.addAll(run(handle, running, incarnation, HeldColumns.of(others)));
    }
    return started;
  }

  /** Hands claims back and returns those that are READY again, or on hold. */
  Set<ClaimId> giveBack(Handle handle, UUID incarnation, List<ReleasedClaim> claims) {
    Set<ClaimId> given = run(handle, giveBack, incarnation, HeldColumns.ofHandBacks(claims));
    List<ReleasedClaim> others =
        claims.stream().filter(back -> !given.contains(back.claim())).toList();
    if (!others.isEmpty()) {
      given.addAll(handle.inTransaction(h -> giveBackSteps(h, incarnation, others)));
      endUnwanted(
          handle, incarnation, without(others.stream().map(ReleasedClaim::claim).toList(), given));
    }
    return given;
  }

  private Set<ClaimId> giveBackSteps(Handle handle, UUID incarnation, List<ReleasedClaim> claims) {
    HeldColumns columns = HeldColumns.ofHandBacks(claims);
    return pausedRuns.lock(handle, columns.ids())
        ? run(handle, giveBackSteps, incarnation, columns)
        : Set.of();
  }

  private void endUnwanted(Handle handle, UUID incarnation, List<ClaimId> claims) {
    run(handle, endUnwanted, incarnation, HeldColumns.of(claims));
  }

  private static List<ClaimId> without(List<ClaimId> claims, Set<ClaimId> done) {
    return claims.stream().filter(claim -> !done.contains(claim)).toList();
  }

  private Set<ClaimId> run(Handle handle, String sql, UUID incarnation, HeldColumns columns) {
    return new HashSet<>(
        handle
            .createQuery(sql)
            .bindArray("ids", UUID.class, columns.ids())
            .bindArray("tokens", Long.class, columns.tokens())
            .bindArray("ran", Boolean.class, columns.ran())
            .bind("incarnation", incarnation)
            .bind("shard", shards.next())
            .map((row, context) -> held(row))
            .list());
  }

  private static ClaimId held(ResultSet row) throws SQLException {
    return new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2));
  }
}
