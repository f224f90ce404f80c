package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunControl.Reset;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Opens the failed steps of a run again. Elements of maps that succeeded keep their results: the
 * planner starts the map from the beginning, and {@link PlanWriter} creates no job for them.
 */
final class RunRetry {
  // By run_history_pkey. A child run is retried with its parent.
  private static final String REOPENABLE =
      """
      select state from ${schema}.run_history
      where id = :id and parent_id is null and state in ('FAILED', 'CANCELLED')
      for update
      """;

  // By run_history_pkey, run_unique and run_pkey. A key that another run has taken meanwhile stays
  // with that run.
  private static final String REOPEN =
      """
      with gone as (
        delete from ${schema}.run_history h
        where h.id = :id and h.state in ('FAILED', 'CANCELLED')
        returning h.*
      )
      insert into ${schema}.run (${kept}, retried, state, phase, steps)
      select ${copied}, true, 'RUNNING', 'MAIN', steps from gone
      returning id, state, phase, steps, definition, parent_id, parent_step, gate
      """;

  private static final String KEY =
      """
      case when exists (
        select from ${schema}.run o
        where o.workflow = gone.workflow and o.unique_key = gone.unique_key)
      then null else unique_key end\
      """;

  // By run_pkey.
  private static final String RESET =
      """
      update ${schema}.run set
        state = 'RUNNING', phase = 'MAIN', reason = null, held_reason = null, retried = true,
        steps = :steps
      where id = :id
      """;

  // By run_result_pkey, run_map_pkey, run_timer_pkey and dead_letter_run. A job that has outlived
  // its step, because a timeout passed, no longer belongs to the run: its cancellation was
  // requested.
  private static final List<String> FORGET =
      List.of(
          """
          delete from ${schema}.run_result
          where run_id = :id and step = any(:steps::smallint[]) and (item = -1 or outcome <> 'S')
          """,
          "delete from ${schema}.run_map where run_id = :id and step = any(:steps::smallint[])",
          "delete from ${schema}.run_timer where run_id = :id and step = any(:steps::smallint[])",
          "delete from ${schema}.dead_letter where run_id = :id and step = any(:steps::smallint[])",
          """
          update ${schema}.job set run_id = null, step = null, item = null, cancel_requested = true
          where run_id = :id and step = any(:steps::smallint[])
          """);

  // By run_history_parent. The last child run of each step.
  private static final String FAILED_CHILDREN =
      """
      select distinct on (parent_step) id, state, parent_step from ${schema}.run_history
      where parent_id = :id and parent_step = any(:steps::smallint[])
      order by parent_step, id desc
      """;

  // By run_parent. Such a run has outlived its step and is being cancelled.
  private static final String DETACH =
      """
      update ${schema}.run set parent_id = null
      where parent_id = :id and parent_step = any(:steps::smallint[])
      """;

  private final RunParts parts;
  private final String reopenable;
  private final String reopen;
  private final String reset;
  private final List<String> forget;
  private final String failedChildren;
  private final String detach;

  RunRetry(Database database, RunParts parts) {
    this.parts = parts;
    this.reopenable = database.sql(REOPENABLE);
    this.reopen =
        database.sql(
            REOPEN
                .replace("${kept}", RunEndings.KEPT)
                .replace("${copied}", RunEndings.KEPT.replace("unique_key", KEY)));
    this.reset = database.sql(RESET);
    this.forget = FORGET.stream().map(database::sql).toList();
    this.failedChildren = database.sql(FAILED_CHILDREN);
    this.detach = database.sql(DETACH);
  }

  private record Child(RunId id, RunState state, int step) {}

  /** Retries a run that failed, was cancelled or is paused, and that no other run started. */
  Optional<PgRunControl.Done> retry(Handle handle, RunId id, Reset request) {
    Optional<Locked> open = parts.tree().lock(handle, id);
    if (open.isPresent()) {
      return open.get().state() != RunState.PAUSED || open.get().parent() != null
          ? Optional.empty()
          : Optional.of(retryPaused(handle, open.get(), request));
    }
    Optional<RunState> before = ended(handle, id);
    Optional<Locked> reopened = before.isEmpty() ? Optional.empty() : reopen(handle, id);
    return reopened.map(run -> {
      Set<RunId> look = new HashSet<>();
      reset(handle, run, request, look);
      return PgRunControl.Done.of(before.orElseThrow(), look, Map.of());
    });
  }

  private PgRunControl.Done retryPaused(Handle handle, Locked run, Reset request) {
    List<Locked> tree = new ArrayList<>(List.of(run));
    tree.addAll(parts.tree().below(handle, List.of(run.id())));
    Set<RunId> look = new HashSet<>();
    tree.stream().filter(r -> r.state() == RunState.PAUSED).map(Locked::id).forEach(look::add);
    reset(handle, run, request, look);
    tree.removeFirst();
    Map<String, Integer> ready = new HashMap<>(parts.states().resume(handle, tree));
    parts
        .jobs()
        .release(handle, List.of(run.id()))
        .forEach((queue, count) -> ready.merge(queue, count, Integer::sum));
    return PgRunControl.Done.of(RunState.PAUSED, look, ready);
  }

  private Optional<RunState> ended(Handle handle, RunId id) {
    return handle
        .createQuery(reopenable)
        .bind("id", id.value())
        .map((row, context) -> RunState.valueOf(row.getString(1)))
        .findOne();
  }

  private Optional<Locked> reopen(Handle handle, RunId id) {
    return handle
        .createQuery(reopen)
        .bind("id", id.value())
        .map((row, context) -> Locked.read(row))
        .findOne();
  }

  /** Opens steps of a run again, and of its child runs that failed. */
  private void reset(Handle handle, Locked run, Reset request, Set<RunId> look) {
    StringBuilder letters = new StringBuilder(request.steps(run.definition(), run.steps()));
    List<Integer> opened = new ArrayList<>();
    for (int step = 0; step < letters.length(); step++) {
      if (letters.charAt(step) == StepState.PENDING.letter()
          && run.steps().charAt(step) != StepState.PENDING.letter()) {
        opened.add(step);
      }
    }
    for (String sql : forget) {
      update(handle, sql, run.id(), opened);
    }
    update(handle, detach, run.id(), opened);
    for (Child child : failedChildren(handle, run.id(), opened)) {
      Optional<Locked> again =
          child.state == RunState.SUCCEEDED ? Optional.empty() : reopen(handle, child.id);
      again.ifPresent(below -> {
        letters.setCharAt(child.step, StepState.ACTIVE.letter());
        reset(handle, below, request, look);
      });
    }
    handle
        .createUpdate(reset)
        .bind("id", run.id().value())
        .bind("steps", letters.toString())
        .execute();
    parts.notes().event(handle, List.of(run.id()), RunEvent.Kind.RETRIED, null);
    parts.notes().look(handle, List.of(run.id()));
    look.add(run.id());
  }

  private List<Child> failedChildren(Handle handle, RunId id, List<Integer> steps) {
    return handle
        .createQuery(failedChildren)
        .bind("id", id.value())
        .bindArray("steps", Integer.class, steps)
        .map((row, context) ->
            new Child(
                new RunId(row.getObject(1, UUID.class)),
                RunState.valueOf(row.getString(2)),
                row.getInt(3)))
        .list();
  }

  private static void update(Handle handle, String sql, RunId id, List<Integer> steps) {
    handle
        .createUpdate(sql)
        .bind("id", id.value())
        .bindArray("steps", Integer.class, steps)
        .execute();
  }
}
