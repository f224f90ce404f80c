package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.workflow.Graph.Part;
import java.time.Duration;
import java.util.Set;

/**
 * One advance of a run: applies marks, then moves through the phases as far as possible.
 *
 * <pre>
 *  MAIN ──all ended──────────────────────────► FINALLY ──all ended──► end
 *    └──failure, cancel──► STOPPING ──quiet──► COMPENSATE ──all ended──► FINALLY
 * </pre>
 */
final class Advance {
  private static final Set<StepState> OPEN =
      Set.of(StepState.PENDING, StepState.ACTIVE, StepState.WAITING);

  private final Draft draft;
  private final Jobs jobs;
  private final Maps maps;
  private final Starts starts;
  private final Cleanup cleanup;
  private final Ending ending;

  Advance(Draft draft, GraphPlanner planner) {
    this.draft = draft;
    this.jobs = new Jobs(draft, planner::newId);
    this.maps = new Maps(draft, jobs);
    this.starts = new Starts(draft, jobs, maps, new Children(draft, planner));
    this.cleanup = new Cleanup(draft);
    this.ending = new Ending(draft);
  }

  /**
   * Carries the advance out on the draft.
   *
   * @param isFirst whether the run starts with it
   */
  void run(boolean isFirst) {
    Duration deadline = draft.index().graph().deadline();
    if (isFirst && deadline != null) {
      draft.timer(-1, RunMark.Kind.DEADLINE, deadline);
    }
    new Marks(draft, maps).apply();
    if (draft.state() == RunState.CANCELLING && draft.phase() == RunPhase.MAIN) {
      cleanup.stop();
    }
    boolean changed = true;
    while (changed && draft.state() != RunState.PAUSED) {
      changed =
          switch (draft.phase()) {
            case MAIN -> main();
            case STOPPING -> stopping();
            case COMPENSATE -> compensate();
            case FINALLY -> lastly();
          };
    }
  }

  /** Each phase returns whether the next one follows at once. */
  private boolean main() {
    if (fails() || pauses()) {
      return draft.phase() != RunPhase.MAIN;
    }
    starts.judge(Part.MAIN);
    if (ending.failing() >= 0 || ending.pausing() >= 0) {
      starts.release();
      return true;
    }
    starts.commit();
    maps.refill(Part.MAIN);
    if (ending.failing() >= 0) {
      return true;
    }
    if (draft.any(Part.MAIN, OPEN)) {
      return false;
    }
    cleanup.enterFinally();
    return true;
  }

  private boolean fails() {
    int step = ending.failing();
    if (step < 0) {
      return false;
    }
    if (ending.knowsReason(step)) {
      draft.become(draft.state(), ending.reason(step));
      cleanup.stop();
    }
    return true;
  }

  /** Only a run that neither fails nor is being cancelled is paused by a failed step. */
  private boolean pauses() {
    int step = ending.pausing();
    if (step < 0 || draft.state() != RunState.RUNNING) {
      return false;
    }
    if (ending.knowsReason(step)) {
      String reason = ending.reason(step);
      draft.become(RunState.PAUSED, reason);
      draft.event(RunEvent.Kind.PAUSED, -1, reason);
    }
    return true;
  }

  private boolean stopping() {
    // A map that has no jobs at the moment gets no mark that would end it.
    maps.settle();
    if (!cleanup.isQuiet()) {
      return false;
    }
    cleanup.enterCompensation();
    return true;
  }

  private boolean compensate() {
    if (!cleanup.compensate(jobs)) {
      return false;
    }
    cleanup.enterFinally();
    return true;
  }

  private boolean lastly() {
    if (pauses()) {
      return false;
    }
    starts.judge(Part.FINALLY);
    if (draft.state() == RunState.RUNNING && ending.pausing() >= 0) {
      starts.release();
      pauses();
      return false;
    }
    starts.commit();
    maps.refill(Part.FINALLY);
    if (!draft.any(Part.FINALLY, OPEN)) {
      ending.end();
    }
    return false;
  }
}
