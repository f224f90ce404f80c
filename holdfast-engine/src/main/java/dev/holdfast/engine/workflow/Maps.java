package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps that have started: a window of jobs exists at a time, and is refilled as they end. The step
 * ends when the last job that was created has ended.
 */
final class Maps {
  static final String MAP_FAILED = "MAP_FAILED";

  /** How many jobs of a map without a limit exist at a time. */
  static final int WINDOW = 2_000;

  private final Draft draft;
  private final Jobs jobs;
  private final SizeLimit limit;

  Maps(Draft draft, Jobs jobs) {
    this.draft = draft;
    this.jobs = jobs;
    this.limit = new SizeLimit(draft);
  }

  /** Ends the maps whose jobs have ended, and stops those that can no longer succeed. */
  void settle() {
    for (int step = 0; step < draft.index().size(); step++) {
      MapCounts counts = activeCounts(step);
      if (counts != null) {
        settle(step, (Work.Map) draft.node(step).work(), counts);
      }
    }
  }

  private @Nullable MapCounts activeCounts(int step) {
    return draft.state(step) == StepState.ACTIVE && draft.node(step).work() instanceof Work.Map
        ? draft.facts().maps().get(step)
        : null;
  }

  private void settle(int step, Work.Map map, MapCounts counts) {
    boolean stopping = draft.state() == RunState.CANCELLING || draft.phase() == RunPhase.STOPPING;
    boolean tooMany = counts.failed() + counts.cancelled() > map.tolerated();
    boolean tooLarge = limit.isExceeded(step);
    if (counts.open() > 0) {
      if ((tooMany || tooLarge) && !stopping) {
        draft.stop(step);
      }
    } else if (stopping && counts.failed() <= map.tolerated() && isCut(counts)) {
      draft.cancelled(step);
    } else if (tooLarge) {
      limit.fail(step);
    } else if (tooMany) {
      draft.failed(
          step,
          new RunData.Failure(
              MAP_FAILED,
              "Of %d jobs of step '%s', %d failed and %d were cancelled; %d may fail."
                  .formatted(
                      counts.total(),
                      draft.node(step).name(),
                      counts.failed(),
                      counts.cancelled(),
                      map.tolerated())));
    } else if (counts.inserted() >= counts.total()) {
      draft.mapSucceeded(step);
    }
  }

  private static boolean isCut(MapCounts counts) {
    return counts.cancelled() > 0 || counts.inserted() < counts.total();
  }

  /** Creates further jobs of maps, if enough of the earlier ones have ended. */
  void refill(Graph.Part part) {
    for (int step = 0; step < draft.index().size(); step++) {
      MapCounts counts = activeCounts(step);
      if (counts != null && draft.node(step).part() == part) {
        refill(step, (Work.Map) draft.node(step).work(), counts);
      }
    }
  }

  private void refill(int step, Work.Map map, MapCounts counts) {
    int most = window(map);
    int open = counts.open();
    boolean low = map.concurrency() > 0 ? open < most : open <= most / 2;
    if (counts.inserted() >= counts.total()
        || counts.failed() + counts.cancelled() > map.tolerated()
        || limit.isExceeded(step)
        || !low) {
      return;
    }
    Demand demand = draft.demand();
    demand.input(step, map.items());
    if (!draft.has(demand)) {
      return;
    }
    if (draft.isRehearsal()) {
      return;
    }
    try {
      List<String> items = draft.payloads().items(step, map);
      int from = counts.inserted();
      int until = Math.min(from + Math.min(most - open, draft.room()), counts.total());
      if (until - from < Math.min(most - open, counts.total() - from)) {
        draft.another();
      }
      insert(step, map, items, from, until);
    } catch (StepFailed failed) {
      draft.failed(step, failed.failure());
      draft.stop(step);
    }
  }

  static int window(Work.Map map) {
    return map.concurrency() > 0 ? map.concurrency() : WINDOW;
  }

  /** Creates the jobs of some elements. */
  void insert(int step, Work.Map map, List<String> items, int from, int until) {
    draft.reserve(until - from);
    for (int item = from; item < until; item++) {
      jobs.create(step, item, map.job(), items.get(item));
    }
    draft.map(step, items.size(), until);
  }
}
