package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.RunControl.MovedJobs;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries.StoredEvent;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Gives everything that belongs to the steps of a run the positions of another graph. */
final class RunMove {
  /** What is added to the step of an event that the new graph does not have. */
  private static final int GONE = 10_000;

  private final Tables tables;
  private final RunTables runs;
  private final StoredRun run;
  private final Map<Integer, Integer> newByOld =
      new TreeMap<>(Map.of(-1, -1, RunMark.ADMITTED, RunMark.ADMITTED));

  /**
   * Creates a move.
   *
   * @param positions the old position of each step that exists in both graphs, by new position
   */
  RunMove(Tables tables, StoredRun run, Map<Integer, Integer> positions) {
    this.tables = tables;
    this.runs = tables.runs;
    this.run = run;
    positions.forEach((to, from) -> newByOld.put(from, to));
  }

  void renumber() {
    tables
        .all()
        .filter(row -> row.step != null && row.step.run().equals(run.id))
        .forEach(row -> row.step = moved(Objects.requireNonNull(row.step)));
    runs.childrenOf(run.id)
        .forEach(child -> child.parent = moved(Objects.requireNonNull(child.parent)));
    renumberResults();
    renumberMaps();
    runs.marks.computeIfPresent(run.id, (id, marks) -> move(marks));
    runs.timers.computeIfPresent(run.id, (id, timers) -> moveTimers(timers));
    runs.events.computeIfPresent(run.id, (id, events) -> moveEvents(events));
  }

  /** Changes how jobs that no node holds are run. */
  void rework(Map<Integer, MovedJobs> jobs, RunEffects effects) {
    tables.live.values().stream()
        .filter(row -> row.step != null && row.step.run().equals(run.id))
        .filter(row -> row.state != JobState.CLAIMED && row.state != JobState.RUNNING)
        .forEach(row -> {
          MovedJobs runAs = jobs.get(Objects.requireNonNull(row.step).step());
          if (runAs != null) {
            row.task = runAs.task();
            row.queue = runAs.queue();
            row.policy = runAs.policy();
            if (row.state == JobState.READY) {
              effects.ready.merge(row.queue, 1, Integer::sum);
            }
          }
        });
  }

  private StepRef moved(StepRef ref) {
    Integer step = newByOld.get(ref.step());
    return step == null ? ref : new StepRef(ref.run(), step, ref.item());
  }

  private void renumberResults() {
    NavigableMap<StepRef, StepResult> old = new TreeMap<>(runs.resultsOf(run.id));
    runs.resultsOf(run.id).clear();
    old.forEach((ref, result) -> {
      if (newByOld.containsKey(ref.step())) {
        runs.results.put(moved(ref), result);
      }
    });
  }

  private void renumberMaps() {
    Map<Integer, MapCounts> old = new TreeMap<>(run.maps);
    run.maps.clear();
    old.forEach((step, counts) -> {
      Integer to = newByOld.get(step);
      if (to != null) {
        run.maps.put(to, counts);
      }
    });
  }

  private @Nullable List<RunMark> move(List<RunMark> marks) {
    List<RunMark> moved = new ArrayList<>();
    for (RunMark mark : marks) {
      Integer to = newByOld.get(mark.step());
      if (to != null) {
        moved.add(new RunMark(mark.kind(), to, mark.succeeded(), mark.failed(), mark.cancelled()));
      }
    }
    return moved.isEmpty() ? null : moved;
  }

  private @Nullable List<RunTables.Timer> moveTimers(List<RunTables.Timer> timers) {
    List<RunTables.Timer> moved = new ArrayList<>();
    for (RunTables.Timer timer : timers) {
      Integer to = newByOld.get(timer.step());
      if (to != null) {
        moved.add(new RunTables.Timer(to, timer.kind(), timer.dueAt()));
      }
    }
    return moved.isEmpty() ? null : moved;
  }

  private List<StoredEvent> moveEvents(List<StoredEvent> events) {
    List<StoredEvent> moved = new ArrayList<>();
    for (StoredEvent event : events) {
      RunPlan.Event old = event.event();
      int to = newByOld.getOrDefault(old.step(), old.step() + GONE);
      moved.add(
          new StoredEvent(
              event.seq(), event.at(), new RunPlan.Event(old.kind(), to, old.detail())));
    }
    return moved;
  }
}
