package dev.holdfast.testkit.memory;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunControl.Reset;
import dev.holdfast.engine.store.RunControl.Result;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Retries runs: opens steps again and keeps what succeeded. */
final class RunRetry {
  private static final char PENDING = StepState.PENDING.letter();
  private static final char ACTIVE = StepState.ACTIVE.letter();

  private final Tables tables;
  private final RunTables runs;
  private final RunEndings endings;

  RunRetry(Tables tables, RunEndings endings) {
    this.tables = tables;
    this.runs = tables.runs;
    this.endings = endings;
  }

  /** The parent of a child run has used its outcome, so it is retried with the parent. */
  static boolean isAllowed(StoredRun run) {
    return run.parent == null
        && switch (run.state) {
          case FAILED, CANCELLED -> true;
          case PAUSED -> run.phase == RunPhase.MAIN;
          case QUEUED, RUNNING, CANCELLING, SUCCEEDED -> false;
        };
  }

  /**
   * Retries a run.
   *
   * @throws DuplicateJobException if another run has taken its unique key
   */
  Result retry(StoredRun run, Reset reset, Instant now) {
    RunTables.Key key = RunTables.keyOf(run);
    RunId holder = key == null || key.windowed() ? null : runs.holder(key, now);
    if (key != null && holder != null && !holder.equals(run.id)) {
      throw new DuplicateJobException(key.value(), new JobId(holder.value()));
    }
    RunState before = run.state;
    RunEffects effects = new RunEffects();
    reopen(run, reset, effects, now);
    return effects.done(before);
  }

  private void reopen(StoredRun run, Reset reset, RunEffects effects, Instant now) {
    String letters = reset.steps(run.definition, run.steps);
    RunTables.Key key = RunTables.keyOf(run);
    if (run.state.hasEnded() && key != null && !key.windowed()) {
      runs.takeKey(run, now);
    }
    runs.ended.remove(run.id);
    runs.open.put(run.id, run);
    run.state = RunState.RUNNING;
    run.phase = RunPhase.MAIN;
    run.retried = true;
    run.reason = null;
    run.result = null;
    run.summary = null;
    run.endedAt = null;
    runs.event(run.id, RunEvent.Kind.RETRIED, null, now);
    StringBuilder steps = new StringBuilder(letters);
    for (int step = 0; step < letters.length(); step++) {
      char old = run.steps.charAt(step);
      if (letters.charAt(step) == PENDING && old != PENDING) {
        boolean continues =
            hasFailed(old)
                && !isTooLarge(run, step)
                && reset.continues(run.definition, step, letters);
        char letter = reopen(run, step, continues, reset, effects, now);
        steps.setCharAt(step, letter);
        runs.event(run.id, new RunPlan.Event(RunEvent.Kind.STEP_RETRIED, step, null), now);
        if (letter == ACTIVE) {
          int active = step;
          reset
              .timeout(run.definition, step)
              .ifPresent(limit ->
                  runs.set(
                      run.id,
                      new RunTables.Timer(active, RunMark.Kind.TIMED_OUT, now.plus(limit))));
          runs.event(run.id, new RunPlan.Event(RunEvent.Kind.STEP_STARTED, step, null), now);
        }
      }
    }
    run.steps = steps.toString();
    runs.recount(run);
    continueChildren(run, effects, now);
    endings.release(run, effects, now);
    runs.look(run.id);
    effects.look.add(run.id);
  }

  /** Continues the child runs that were paused together with a run. */
  private void continueChildren(StoredRun run, RunEffects effects, Instant now) {
    for (StoredRun below : runs.tree(run)) {
      if (below.state == RunState.PAUSED) {
        below.state = RunState.RUNNING;
        below.reason = below.phase == RunPhase.MAIN ? null : below.reason;
        endings.release(below, effects, now);
        runs.look(below.id);
        effects.look.add(below.id);
      }
    }
  }

  /** Opens a step again and returns its new letter: active if a part of it continues. */
  private char reopen(
      StoredRun run, int step, boolean continues, Reset reset, RunEffects effects, Instant now) {
    runs.untime(run.id, step);
    detach(run, step);
    runs.unmark(run.id, mark -> mark.step() == step);
    if (continues && reopenMap(run, step, effects, now)) {
      return ACTIVE;
    }
    runs.resultsOf(run.id, step).clear();
    run.maps.remove(step);
    endedJobs(run, step).stream()
        .filter(row -> row.step != null && row.step.item() != StepRef.NO_ITEM)
        .forEach(row -> tables.deadLetter.remove(row.id));
    StoredRun child = continues ? failedChild(run, step) : null;
    if (child == null) {
      return PENDING;
    }
    reopen(child, reset, effects, now);
    return ACTIVE;
  }

  /**
   * Takes from a run what has outlived its step, because a timeout passed: it is being cancelled.
   */
  private void detach(StoredRun run, int step) {
    for (JobRow row : endings.jobsOf(run)) {
      if (row.step != null && row.step.step() == step) {
        row.step = null;
        row.cancelRequested = true;
      }
    }
    for (StoredRun child : runs.childrenOf(run.id)) {
      if (!child.state.hasEnded() && child.parent != null && child.parent.step() == step) {
        child.parent = null;
      }
    }
  }

  private static boolean hasFailed(char letter) {
    return letter == StepState.FAILED.letter() || letter == StepState.CANCELLED.letter();
  }

  /** Returns whether a step would exceed the size limit again if it kept a part of its results. */
  private boolean isTooLarge(StoredRun run, int step) {
    StepResult result = runs.results.get(new StepRef(run.id, step, StepRef.NO_ITEM));
    return result != null
        && result.failure() != null
        && result.failure().code().equals(RunData.Failure.RUN_TOO_LARGE);
  }

  /** Runs the failed and cancelled jobs of a map again, if they are still stored. */
  private boolean reopenMap(StoredRun run, int step, RunEffects effects, Instant now) {
    MapCounts counts = run.maps.get(step);
    if (counts == null) {
      return false;
    }
    List<JobRow> again = new ArrayList<>();
    for (int item = 0; item < counts.inserted(); item++) {
      StepResult result = runs.results.get(new StepRef(run.id, step, item));
      if (result == null || result.outcome() != StepState.SUCCEEDED) {
        StepRef ref = new StepRef(run.id, step, item);
        Optional<JobRow> row =
            endedJobs(run, step).stream().filter(job -> ref.equals(job.step)).findFirst();
        if (row.isEmpty()) {
          return false;
        }
        again.add(row.get());
      }
    }
    runs.results.remove(new StepRef(run.id, step, StepRef.NO_ITEM));
    for (JobRow row : again) {
      if (row.step != null) {
        runs.results.remove(row.step);
      }
      tables.revive(row, now);
      effects.queued(row);
    }
    run.maps.put(
        step,
        new MapCounts(counts.total(), counts.inserted(), counts.inserted() - again.size(), 0, 0));
    runs.mark(run.id, RunMark.of(RunMark.Kind.ENDED, step));
    return true;
  }

  private List<JobRow> endedJobs(StoredRun run, int step) {
    return tables
        .all()
        .filter(row ->
            row.state.hasEnded()
                && row.step != null
                && row.step.run().equals(run.id)
                && row.step.step() == step)
        .toList();
  }

  private @Nullable StoredRun failedChild(StoredRun run, int step) {
    return runs.childrenOf(run.id).stream()
        .filter(child -> child.parent != null && child.parent.step() == step)
        .filter(child -> child.state == RunState.FAILED || child.state == RunState.CANCELLED)
        .reduce((first, last) -> last)
        .orElse(null);
  }
}
