package dev.holdfast.postgres.workflow;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunControl.Reset;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Opens the failed steps of a run again. Elements of maps that succeeded keep their results: {@link
 * MapRetry} continues the jobs of the others. If it cannot, because they are no longer stored, the
 * planner starts the map from the beginning, and {@link PlanWriter} leaves out what succeeded.
 */
final class RunRetry {
  // By run_history_pkey. A child run is retried with its parent.
  private static final String REOPENABLE =
      """
      select state from ${schema}.run_history
      where id = :id and parent_id is null and state in ('FAILED', 'CANCELLED')
      for update
      """;

  // By run_history_pkey; conflicts on run_unique were looked for.
  private static final String REOPEN =
      """
      with gone as (
        delete from ${schema}.run_history h
        where h.id = :id and h.state in ('FAILED', 'CANCELLED')
        returning h.*
      )
      insert into ${schema}.run (${kept}, retried, state, phase, steps)
      select ${kept}, true, 'RUNNING', 'MAIN', steps from gone
      returning id, state, phase, steps, definition, parent_id, parent_step, gate
      """;

  // By run_unique.
  private static final String HOLDER =
      """
      select o.id, o.unique_key from ${schema}.run_history h
      join ${schema}.run o on o.workflow = h.workflow and o.unique_key = h.unique_key
      where h.id = :id
      """;

  // By run_pkey, run_result_pkey, run_payload_pkey and run_mark_run. The outputs of steps that run
  // again no longer count. Those whose marks no advance has taken are counted with the marks.
  private static final String RESET =
      """
      update ${schema}.run set
        state = 'RUNNING', phase = 'MAIN', reason = null, held_reason = null, retried = true,
        steps = :steps,
        bytes =
          (select coalesce(sum(octet_length(output)), 0) from ${schema}.run_result
           where run_id = :id)
          + (select coalesce(sum(octet_length(body)), 0) from ${schema}.run_payload
             where run_id = :id)
          - (select coalesce(sum(bytes), 0) from ${schema}.run_mark where run_id = :id)
      where id = :id
      """;

  // By run_result_pkey.
  private static final String TOO_LARGE =
      """
      select step from ${schema}.run_result
      where run_id = :id and step = any(:steps::smallint[]) and item = -1 and code = :code
      """;

  // By run_timer_pkey and job_run. A job that has outlived its step, because a
  // timeout passed, no longer belongs to the run: its cancellation was requested.
  private static final List<String> FORGET =
      List.of(
          "delete from ${schema}.run_timer where run_id = :id and step = any(:steps::smallint[])",
          """
          update ${schema}.job set run_id = null, step = null, item = null, cancel_requested = true
          where run_id = :id and step = any(:steps::smallint[])
          """);

  // By dead_letter_run. Elements of maps that start from the beginning.
  private static final String FORGET_ELEMENTS =
      """
      delete from ${schema}.dead_letter
      where run_id = :id and step = any(:steps::smallint[]) and item >= 0
      """;

  // By run_mark_run. Jobs and child runs that outlived a step may have left marks since it ended.
  // Those that are still open were detached before, and leave none.
  private static final String FORGET_MARKS =
      "delete from ${schema}.run_mark where run_id = :id and step = any(:steps::smallint[])";

  // By run_result_pkey. Elements of a failed map that succeeded keep their result.
  private static final String FORGET_FAILED =
      """
      delete from ${schema}.run_result
      where run_id = :id and step = any(:steps::smallint[]) and (item = -1 or outcome <> 'S')
      """;

  // By run_result_pkey.
  private static final String FORGET_RESULTS =
      "delete from ${schema}.run_result where run_id = :id and step = any(:steps::smallint[])";

  // By run_map_pkey.
  private static final String FORGET_MAPS =
      "delete from ${schema}.run_map where run_id = :id and step = any(:steps::smallint[])";

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

  private final StepJobs jobs;
  private final RunTree tree;
  private final RunStates states;
  private final RunNotes notes;
  private final MapRetry maps;
  private final RetriedTimers timers;
  private final CancelledJobs cancelled;
  private final String reopenable;
  private final String reopen;
  private final String holder;
  private final String reset;
  private final String tooLarge;
  private final List<String> forget;
  private final String forgetElements;
  private final String forgetMarks;
  private final String forgetFailed;
  private final String forgetResults;
  private final String forgetMaps;
  private final String failedChildren;
  private final String detach;

  RunRetry(Database database, StepJobs jobs, MapRetry maps) {
    this.jobs = jobs;
    this.tree = new RunTree(database);
    this.states = new RunStates(database, jobs);
    this.notes = new RunNotes(database);
    this.maps = maps;
    this.timers = new RetriedTimers(database);
    this.cancelled = new CancelledJobs(database);
    this.reopenable = database.sql(REOPENABLE);
    this.reopen = database.sql(REOPEN.replace("${kept}", RunEndings.KEPT));
    this.holder = database.sql(HOLDER);
    this.reset = database.sql(RESET);
    this.tooLarge = database.sql(TOO_LARGE);
    this.forget = FORGET.stream().map(database::sql).toList();
    this.forgetElements = database.sql(FORGET_ELEMENTS);
    this.forgetMarks = database.sql(FORGET_MARKS);
    this.forgetFailed = database.sql(FORGET_FAILED);
    this.forgetResults = database.sql(FORGET_RESULTS);
    this.forgetMaps = database.sql(FORGET_MAPS);
    this.failedChildren = database.sql(FAILED_CHILDREN);
    this.detach = database.sql(DETACH);
  }

  private record Child(RunId id, RunState state, int step) {}

  /** What a retry did so far. */
  private record Effects(Set<RunId> look, Map<String, Integer> ready) {
    void ready(String queue, int count) {
      ready.merge(queue, count, Integer::sum);
    }

    PgRunControl.Done done(RunState before) {
      return PgRunControl.Done.of(before, look, ready);
    }
  }

  /**
   * Retries a run that failed, was cancelled or is paused, and that no other run started.
   *
   * @throws DuplicateJobException if another run has taken its unique key
   */
  Optional<PgRunControl.Done> retry(Handle handle, RunId id, Reset request) throws SQLException {
    Effects effects = new Effects(new HashSet<>(), new HashMap<>());
    Optional<Locked> open = tree.lock(handle, id);
    if (open.isPresent()) {
      boolean allowed = open.get().state() == RunState.PAUSED && open.get().parent() == null;
      if (allowed) {
        retryPaused(handle, open.get(), request, effects);
      }
      return allowed ? Optional.of(effects.done(RunState.PAUSED)) : Optional.empty();
    }
    Optional<RunState> before = ended(handle, id);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    requireKey(handle, id);
    Optional<Locked> reopened = reopen(handle, id);
    if (reopened.isPresent()) {
      reset(handle, reopened.get(), request, effects);
    }
    return reopened.map(run -> effects.done(before.get()));
  }

  private void requireKey(Handle handle, RunId id) {
    handle
        .createQuery(holder)
        .bind("id", id.value())
        .map((row, context) ->
            new DuplicateJobException(row.getString(2), new JobId(row.getObject(1, UUID.class))))
        .findOne()
        .ifPresent(taken -> {
          throw taken;
        });
  }

  private void retryPaused(Handle handle, Locked run, Reset request, Effects effects)
      throws SQLException {
    List<Locked> below = tree.below(handle, List.of(run.id()));
    below.stream()
        .filter(child -> child.state() == RunState.PAUSED)
        .forEach(child -> effects.look.add(child.id()));
    reset(handle, run, request, effects);
    states.resume(handle, below).forEach(effects::ready);
    jobs.release(handle, List.of(run.id())).forEach(effects::ready);
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
  private void reset(Handle handle, Locked run, Reset request, Effects effects)
      throws SQLException {
    String reopened = request.steps(run.definition(), run.steps());
    StringBuilder letters = new StringBuilder(reopened);
    List<Integer> opened = opened(run.steps(), letters);
    List<Integer> failed = opened.stream().filter(step -> hasFailed(run, step)).toList();
    Set<Integer> large = tooLarge(handle, run.id(), failed);
    List<Integer> continuing =
        failed.stream()
            .filter(step -> !large.contains(step))
            .filter(step -> request.continues(run.definition(), step, reopened))
            .toList();
    for (String sql : forget) {
      update(handle, sql, run.id(), opened);
    }
    update(handle, detach, run.id(), opened);
    update(handle, forgetMarks, run.id(), opened);
    cancelled.keep(handle, run.id(), failed);
    Set<Integer> whole = new TreeSet<>(opened);
    for (int step : continuing) {
      Optional<List<NewJob>> again = maps.retry(handle, run.id(), step);
      if (again.isPresent()) {
        letters.setCharAt(step, StepState.ACTIVE.letter());
        again.get().forEach(job -> effects.ready(job.content().queue(), 1));
        whole.remove(step);
      }
    }
    List<Integer> others = whole.stream().filter(step -> !continuing.contains(step)).toList();
    update(handle, forgetElements, run.id(), whole);
    update(handle, forgetFailed, run.id(), whole);
    update(handle, forgetResults, run.id(), others);
    update(handle, forgetMaps, run.id(), whole);
    for (Child child : failedChildren(handle, run.id(), continuing)) {
      Optional<Locked> again =
          child.state == RunState.SUCCEEDED ? Optional.empty() : reopen(handle, child.id);
      if (again.isPresent()) {
        letters.setCharAt(child.step, StepState.ACTIVE.letter());
        reset(handle, again.get(), request, effects);
      }
    }
    List<Integer> continued =
        opened.stream().filter(step -> letters.charAt(step) == StepState.ACTIVE.letter()).toList();
    handle
        .createUpdate(reset)
        .bind("id", run.id().value())
        .bind("steps", letters.toString())
        .execute();
    notes.event(handle, List.of(run.id()), RunEvent.Kind.RETRIED, null);
    notes.stepEvents(handle, run.id(), RunEvent.Kind.STEP_RETRIED, opened);
    notes.stepEvents(handle, run.id(), RunEvent.Kind.STEP_STARTED, continued);
    timers.set(handle, run, continued, request);
    notes.look(handle, List.of(run.id()));
    effects.look.add(run.id());
  }

  private static List<Integer> opened(String before, CharSequence after) {
    char pending = StepState.PENDING.letter();
    return IntStream.range(0, after.length())
        .filter(step -> after.charAt(step) == pending && before.charAt(step) != pending)
        .boxed()
        .toList();
  }

  private static boolean hasFailed(Locked run, int step) {
    char letter = run.steps().charAt(step);
    return letter == StepState.FAILED.letter() || letter == StepState.CANCELLED.letter();
  }

  /** Returns those of the steps that would exceed the size limit again if they kept a part. */
  private Set<Integer> tooLarge(Handle handle, RunId id, List<Integer> steps) {
    return handle
        .createQuery(tooLarge)
        .bind("id", id.value())
        .bindArray("steps", Integer.class, steps)
        .bind("code", RunData.Failure.RUN_TOO_LARGE)
        .mapTo(Integer.class)
        .set();
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

  private static void update(Handle handle, String sql, RunId id, Collection<Integer> steps) {
    handle
        .createUpdate(sql)
        .bind("id", id.value())
        .bindArray("steps", Integer.class, steps)
        .execute();
  }
}
