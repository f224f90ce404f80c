package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.TallyShards;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Puts the jobs of runs on hold, releases and cancels them. The runs are locked FOR UPDATE, so no
 * other transaction makes one of their jobs startable meanwhile.
 *
 * <p>All statements use job_run and lock jobs in the order of ids.
 */
final class StepJobs {
  // A job that is started while this waits for its row stays RUNNING: the condition is evaluated
  // again when the lock is granted.
  private static final String HOLD =
      """
      with l as materialized (
        select j.id, j.state from ${schema}.job j
        where j.run_id = any(:runs::uuid[])
          and j.state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING')
        order by j.id for update
      )
      update ${schema}.job j set state = 'ON_HOLD', held_from = l.state, capped = false
      from l where j.id = l.id
      """;

  private static final String RELEASE =
      """
      with l as materialized (
        select j.id from ${schema}.job j
        where j.run_id = any(:runs::uuid[]) and j.state = 'ON_HOLD'
        order by j.id for update
      )
      update ${schema}.job j set
        state = case when j.held_from = 'WAITING' then 'WAITING'
                     when j.run_at > now() then 'SCHEDULED' else 'READY' end,
        held_from = null
      from l where j.id = l.id
      returning case when j.state = 'READY' then j.queue end
      """;

  private static final String CANCEL =
      """
      with l as materialized (
        select j.id
        from unnest(:runs::uuid[], :steps::int[]) t(run_id, step)
        join ${schema}.job j on j.run_id = t.run_id and (t.step is null or j.step = t.step)
        where j.state in ('SCHEDULED', 'READY', 'CLAIMED', 'WAITING', 'ON_HOLD')
        order by j.id for update of j
      ), gone as (
        delete from ${schema}.job j using l
        where j.id = l.id
        returning j.*, 'CANCELLED' as ended,
          (select n.id from ${schema}.node n where n.incarnation = j.incarnation) as node,
          null::text as result, null::timestamptz as result_until
      ), history as (
        ${history}
      ), tally as (
        ${tally}
      )
      select distinct run_id from gone
      """;

  private static final String REQUEST =
      """
      with l as materialized (
        select j.id
        from unnest(:runs::uuid[], :steps::int[]) t(run_id, step)
        join ${schema}.job j on j.run_id = t.run_id and (t.step is null or j.step = t.step)
        where j.state = 'RUNNING' and not j.cancel_requested
        order by j.id for update of j
      )
      update ${schema}.job j set cancel_requested = true
      from l where j.id = l.id
      returning j.incarnation
      """;

  /**
   * A step of a run, or all of its steps.
   *
   * @param step null for all
   */
  record Target(RunId run, @Nullable Integer step) {}

  /**
   * The result of a cancellation.
   *
   * @param marked the runs of jobs that ended at once
   * @param stopping the incarnations that hold jobs whose cancellation was requested
   */
  record Stopped(Set<RunId> marked, Set<UUID> stopping) {}

  private final TallyShards shards = new TallyShards();
  private final String hold;
  private final String release;
  private final String cancel;
  private final String request;

  StepJobs(Database database) {
    this.hold = database.sql(HOLD);
    this.release = database.sql(RELEASE);
    this.cancel = database.sql(History.into(CANCEL));
    this.request = database.sql(REQUEST);
  }

  /** Puts all jobs of runs on hold that have not started. */
  void hold(Handle handle, Collection<RunId> runs) {
    if (!runs.isEmpty()) {
      handle.createUpdate(hold).bindArray("runs", UUID.class, Columns.ids(runs)).execute();
    }
  }

  /** Releases the jobs of runs, and returns how many are READY, by queue. */
  Map<String, Integer> release(Handle handle, Collection<RunId> runs) {
    Map<String, Integer> ready = new TreeMap<>();
    if (!runs.isEmpty()) {
      handle
          .createQuery(release)
          .bindArray("runs", UUID.class, Columns.ids(runs))
          .map((row, context) -> String.valueOf(row.getString(1)))
          .list()
          .forEach(queue -> ready.merge(queue, 1, Integer::sum));
      ready.remove("null");
    }
    return ready;
  }

  /**
   * Ends the jobs that have not started, and requests the cancellation of those that run: in this
   * order, because a job may be started meanwhile, but not the other way round.
   */
  Stopped cancel(Handle handle, List<Target> targets) {
    if (targets.isEmpty()) {
      return new Stopped(Set.of(), Set.of());
    }
    Set<RunId> marked = new HashSet<>();
    bind(handle.createQuery(cancel), targets)
        .bind("shard", shards.next())
        .mapTo(UUID.class)
        .list()
        .forEach(run -> marked.add(new RunId(run)));
    Set<UUID> stopping = new HashSet<>();
    bind(handle.createQuery(request), targets).mapTo(UUID.class).list().stream()
        .filter(Objects::nonNull)
        .forEach(stopping::add);
    return new Stopped(marked, stopping);
  }

  private static <S extends SqlStatement<S>> S bind(S statement, List<Target> targets) {
    return statement
        .bindArray("runs", UUID.class, Columns.of(targets, target -> target.run().value()))
        .bindArray("steps", Integer.class, Columns.of(targets, Target::step));
  }
}
