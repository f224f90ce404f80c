package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData.Failure;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Ends runs, stops what belongs to them, and lets others through their gates. */
final class RunEndings {
  private final Tables tables;
  private final RunTables runs;

  RunEndings(Tables tables) {
    this.tables = tables;
    this.runs = tables.runs;
  }

  /** Moves a run to the ended ones; its parent gets its summary and a mark. */
  void end(StoredRun run, RunState how, RunEffects effects, Instant now) {
    run.state = how;
    run.endedAt = now;
    runs.open.remove(run.id);
    runs.ended.put(run.id, run);
    runs.marks.remove(run.id);
    runs.timers.remove(run.id);
    runs.freeKey(run);
    effects.ended.put(run.id, how);
    effects.look.remove(run.id);
    tellParent(run, effects, now);
    openGate(run, effects, now);
  }

  private void tellParent(StoredRun run, RunEffects effects, Instant now) {
    StepRef parent = run.parent;
    if (parent != null && runs.open.containsKey(parent.run())) {
      StepResult result = resultOf(run, now);
      runs.put(parent, result);
      runs.mark(parent.run(), result.mark(parent.step()));
      effects.look.add(parent.run());
    }
  }

  /** Returns the result that an ended run is for its parent. */
  static StepResult resultOf(StoredRun child, Instant now) {
    return StepResult.without(outcome(child.state), child.summary, failure(child), now);
  }

  private static StepState outcome(RunState ended) {
    return switch (ended) {
      case SUCCEEDED -> StepState.SUCCEEDED;
      case FAILED -> StepState.FAILED;
      case CANCELLED -> StepState.CANCELLED;
      case QUEUED, RUNNING, PAUSED, CANCELLING ->
          throw new IllegalStateException("A run that is %s has no result.".formatted(ended));
    };
  }

  private static @Nullable Failure failure(StoredRun child) {
    return child.state == RunState.SUCCEEDED
        ? null
        : new Failure(
            child.state == RunState.FAILED ? "RUN_FAILED" : "RUN_CANCELLED",
            "Run %s: %s".formatted(child.id, child.reason == null ? child.state : child.reason));
  }

  /** Returns whether the maximum number of runs is active behind the gate of a run. */
  boolean isGateFull(StoredRun run) {
    return run.gate != null && activeBehindGateOf(run).size() >= run.gate.count();
  }

  /** Returns the active runs that share the gate of a run, the oldest first. */
  List<StoredRun> activeBehindGateOf(StoredRun run) {
    return behindGateOf(run, other -> other.state != RunState.QUEUED);
  }

  List<StoredRun> queuedBehindGateOf(StoredRun run) {
    return behindGateOf(run, other -> other.state == RunState.QUEUED);
  }

  private List<StoredRun> behindGateOf(StoredRun run, Predicate<StoredRun> which) {
    return runs.open.values().stream()
        .filter(other -> other != run && other.sharesGateWith(run) && which.test(other))
        .toList();
  }

  /** Lets the oldest queued runs through, as many as there is room for. */
  void openGate(StoredRun ended, RunEffects effects, Instant now) {
    for (StoredRun queued : queuedBehindGateOf(ended)) {
      if (!isGateFull(queued)) {
        boolean held =
            queued.parent != null && runs.isPaused(queued.parent); // Then its parent resumes it.
        queued.state = held ? RunState.PAUSED : RunState.RUNNING;
        runs.mark(queued.id, RunMark.of(RunMark.Kind.LOOK, RunMark.ADMITTED));
        effects.look.add(queued.id);
      }
    }
  }

  /** Cancels an open run and those below it. Returns whether there was something to do. */
  boolean cancel(StoredRun run, String reason, RunEffects effects, Instant now) {
    if (run.state.hasEnded() || run.state == RunState.CANCELLING) {
      return false;
    }
    if (run.state == RunState.QUEUED) {
      run.reason = reason;
      runs.event(run.id, RunEvent.Kind.ENDED, RunState.CANCELLED.name(), now);
      end(run, RunState.CANCELLED, effects, now);
      return true;
    }
    run.state = RunState.CANCELLING;
    run.reason = reason;
    runs.event(run.id, RunEvent.Kind.CANCELLING, reason, now);
    if (run.isInMainPart()) {
      run.phase = RunPhase.STOPPING;
      runs.timers.remove(run.id);
      stopJobs(jobsOf(run), effects, now);
      runs.childrenOf(run.id).forEach(child -> cancel(child, reason, effects, now));
    } else { // Compensations and finally steps are carried out, even if the run was paused.
      runs.untime(run.id, -1);
      release(run, effects, now);
    }
    runs.look(run.id);
    effects.look.add(run.id);
    return true;
  }

  /** Cancels the jobs and child runs of a step. */
  void stop(StoredRun run, int step, RunEffects effects, Instant now) {
    stopJobs(jobsOf(run).stream().filter(row -> stepOf(row).step() == step).toList(), effects, now);
    runs.childrenOf(run.id).stream()
        .filter(child -> child.parent != null && child.parent.step() == step)
        .forEach(child -> cancel(child, "Its parent stopped the step.", effects, now));
    if (runs.isMarked(run.id)) {
      effects.look.add(run.id);
    }
  }

  private void stopJobs(List<JobRow> rows, RunEffects effects, Instant now) {
    for (JobRow row : rows) {
      if (row.state == JobState.RUNNING) {
        row.cancelRequested = true;
        effects.stopping.add(Objects.requireNonNull(row.holder));
      } else {
        tables.end(row, JobState.CANCELLED, now);
      }
    }
  }

  /** Pauses a run that is RUNNING. If it is failing, it keeps the reason for which it fails. */
  void pause(StoredRun run, String reason, Instant now) {
    run.state = RunState.PAUSED;
    if (run.phase == RunPhase.MAIN) {
      run.reason = reason;
    }
    hold(run);
    runs.event(run.id, RunEvent.Kind.PAUSED, reason, now);
  }

  /** Holds the jobs of a paused run that have not started. */
  List<JobRow> hold(StoredRun run) {
    List<JobRow> startable =
        jobsOf(run).stream()
            .filter(row -> row.state != JobState.RUNNING && row.state != JobState.ON_HOLD)
            .toList();
    startable.forEach(tables::putOnHold);
    return startable;
  }

  /** Lets the jobs of a run that are on hold continue where they were. */
  List<JobRow> release(StoredRun run, RunEffects effects, Instant now) {
    List<JobRow> held = jobsOf(run).stream().filter(row -> row.state == JobState.ON_HOLD).toList();
    for (JobRow row : held) {
      tables.release(row, now);
      effects.queued(row);
    }
    return held;
  }

  /** Returns the live jobs of a run. */
  List<JobRow> jobsOf(StoredRun run) {
    return tables.live.values().stream()
        .filter(row -> row.step != null && row.step.run().equals(run.id))
        .toList();
  }

  private static StepRef stepOf(JobRow row) {
    return Objects.requireNonNull(row.step);
  }
}
