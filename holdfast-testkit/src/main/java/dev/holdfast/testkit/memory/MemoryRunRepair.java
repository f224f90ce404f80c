package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData.Failure;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds runs that are inconsistent with their jobs, and repairs them. */
final class MemoryRunRepair implements RunRepair {
  private final Tables tables;
  private final RunTables runs;
  private final RunEndings endings;

  MemoryRunRepair(Tables tables, RunEndings endings) {
    this.tables = tables;
    this.runs = tables.runs;
    this.endings = endings;
  }

  @Override
  public Report repair(@Nullable RunId after, int limit) {
    return tables.transaction(now -> {
      Round round = new Round(now);
      if (after == null) {
        round.stopJobsWithoutRun();
        round.deleteMarksWithoutRun();
      }
      List<StoredRun> looked =
          (after == null ? runs.open : runs.open.tailMap(after, false))
              .values().stream().limit(limit).toList();
      looked.forEach(round::repair);
      RunId last = looked.size() < limit ? null : looked.getLast().id;
      return new Report(last, round.repairs, round.effects.look);
    });
  }

  /** The repairs of one call. */
  private final class Round {
    private final Instant now;
    private final List<String> repairs = new ArrayList<>();
    private final RunEffects effects = new RunEffects();

    Round(Instant now) {
      this.now = now;
    }

    /** Jobs of a run that has ended may still run: the steps that they belong to timed out. */
    void stopJobsWithoutRun() {
      for (JobRow row : List.copyOf(tables.live.values())) {
        if (row.step != null && runs.find(row.step.run()) == null && !row.cancelRequested) {
          if (row.state == JobState.RUNNING) {
            row.cancelRequested = true;
          } else {
            tables.end(row, JobState.CANCELLED, now);
          }
          repairs.add(
              "Job %s: cancelled, because run %s does not exist."
                  .formatted(row.id, row.step.run()));
        }
      }
    }

    void deleteMarksWithoutRun() {
      for (RunId id : List.copyOf(runs.marks.keySet())) {
        if (!runs.open.containsKey(id)) {
          runs.marks.remove(id);
          repairs.add("Run %s: its marks were deleted, because it is not open.".formatted(id));
        }
      }
    }

    void repair(StoredRun run) {
      if (run.state == RunState.QUEUED) {
        letThrough(run);
        return;
      }
      for (int step = 0; step < run.steps.length(); step++) {
        if (run.steps.charAt(step) == StepState.ACTIVE.letter()) {
          repair(run, step);
        }
      }
      if (run.state != RunState.PAUSED && isIdle(run)) {
        runs.look(run.id);
        repaired(run, "nothing was active, waiting or marked");
      }
      repairHolds(run);
    }

    private void letThrough(StoredRun run) {
      if (!endings.isGateFull(run)) {
        endings.openGate(run, effects, now);
      }
    }

    private boolean isIdle(StoredRun run) {
      return !runs.isMarked(run.id)
          && run.steps.indexOf(StepState.ACTIVE.letter()) < 0
          && run.steps.indexOf(StepState.WAITING.letter()) < 0;
    }

    private void repair(StoredRun run, int step) {
      MapCounts counts = run.maps.get(step);
      if (counts == null) {
        repair(run, new StepRef(run.id, step, StepRef.NO_ITEM));
      } else {
        for (int item = 0; item < counts.inserted(); item++) {
          repair(run, new StepRef(run.id, step, item));
        }
      }
    }

    private void repair(StoredRun run, StepRef step) {
      boolean live = tables.live.values().stream().anyMatch(row -> step.equals(row.step));
      if (live || runs.results.containsKey(step) || hasOpenChild(step)) {
        return;
      }
      StepResult result = resultOf(step);
      runs.put(step, result);
      runs.mark(run.id, result.mark(step.step()));
      String found = result.failure() == null ? "SUCCEEDED" : result.failure().code();
      runs.event(run.id, new RunPlan.Event(RunEvent.Kind.RECOVERED, step.step(), found), now);
      repaired(run, "step %d had no job and no result: %s".formatted(step.step(), found));
    }

    private boolean hasOpenChild(StepRef step) {
      return runs.open.values().stream().anyMatch(child -> step.equals(child.parent));
    }

    private StepResult resultOf(StepRef step) {
      Optional<StoredRun> child =
          runs.ended.values().stream()
              .filter(run -> step.equals(run.parent))
              .reduce((first, last) -> last);
      if (child.isPresent()) {
        return RunEndings.resultOf(child.get(), now);
      }
      JobRow row =
          tables
              .all()
              .filter(job -> step.equals(job.step))
              .reduce((first, last) -> last)
              .orElse(null);
      if (row != null && row.state == JobState.FAILED) {
        return StepResult.of(row, Objects.requireNonNull(row.endedAt));
      }
      if (row != null && row.state == JobState.CANCELLED) {
        return StepResult.of(row, Objects.requireNonNull(row.endedAt));
      }
      return StepResult.without(
          StepState.FAILED,
          null,
          new Failure(
              "RESULT_NOT_AVAILABLE",
              "The job of step %d has ended, and its result is not stored.".formatted(step.step())),
          now);
    }

    private void repairHolds(StoredRun run) {
      if (run.state == RunState.PAUSED) {
        for (JobRow row : endings.hold(run)) {
          repaired(run, "job %s was startable in a paused run: put on hold".formatted(row.id));
        }
      } else {
        for (JobRow row : endings.release(run, effects, now)) {
          repaired(run, "job %s was on hold in an active run: released".formatted(row.id));
        }
      }
    }

    private void repaired(StoredRun run, String what) {
      repairs.add("Run %s: %s.".formatted(run.id, what));
      if (runs.isMarked(run.id)) {
        effects.look.add(run.id);
      }
    }
  }
}
