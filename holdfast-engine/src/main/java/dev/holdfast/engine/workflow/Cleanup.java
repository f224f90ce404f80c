package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Stops the steps of a run that fails or is being cancelled, and undoes what succeeded. */
final class Cleanup {
  static final String COMPENSATION_FAILED = "COMPENSATION_FAILED";

  private final Draft draft;

  Cleanup(Draft draft) {
    this.draft = draft;
  }

  /** Cancels the steps that run; no other step starts. */
  void stop() {
    draft.enter(RunPhase.STOPPING);
    draft.untime(-1);
    for (int step = 0; step < draft.index().size(); step++) {
      if (draft.node(step).part() == Part.MAIN && draft.state(step) == StepState.ACTIVE) {
        draft.stop(step);
      }
    }
  }

  /** Ends the steps that have nothing to wait for, and returns whether no step runs any more. */
  boolean isQuiet() {
    boolean quiet = true;
    for (int step = 0; step < draft.index().size(); step++) {
      if (draft.node(step).part() == Part.MAIN) {
        switch (draft.state(step)) {
          case PENDING -> draft.skipped(step, null);
          case WAITING -> draft.cancelled(step);
          case ACTIVE -> quiet = false;
          case SUCCEEDED, FAILED, CANCELLED, SKIPPED -> {}
        }
      }
    }
    return quiet;
  }

  /** Goes on to the compensations, and skips those of steps that did not succeed. */
  void enterCompensation() {
    draft.enter(RunPhase.COMPENSATE);
    boolean any = false;
    for (int step = 0; step < draft.index().size(); step++) {
      int undone = draft.node(step).compensates();
      if (undone >= 0 && draft.state(step) == StepState.PENDING) {
        if (draft.state(undone) == StepState.SUCCEEDED) {
          any = true;
        } else {
          draft.skipped(step, null);
        }
      }
    }
    if (any) {
      draft.event(RunEvent.Kind.COMPENSATING, -1, null);
    }
  }

  /**
   * Starts the next compensation, unless one runs.
   *
   * @return whether all compensations have ended
   */
  boolean compensate(Jobs jobs) {
    if (draft.any(Part.COMPENSATION, Set.of(StepState.ACTIVE))) {
      return false;
    }
    while (draft.any(Part.COMPENSATION, Set.of(StepState.PENDING))) {
      if (!draft.has(demand())) {
        return false;
      }
      int undone = next();
      if (start(draft.index().compensation(undone), jobs)) {
        return false;
      }
    }
    return true;
  }

  /** The order is not known before it was read, so the outputs of all candidates are needed. */
  private Demand demand() {
    Demand demand = draft.demand();
    demand.successes();
    for (int step = 0; step < draft.index().size(); step++) {
      if (draft.node(step).compensates() >= 0 && draft.state(step) == StepState.PENDING) {
        demand.input(step, new Graph.Input.Compensated());
      }
    }
    return demand;
  }

  /** Returns the step that succeeded last of those whose compensations have not started. */
  private int next() {
    Set<Integer> order = new LinkedHashSet<>(draft.data().successes());
    for (int step = 0; step < draft.index().size(); step++) {
      order.add(step);
    }
    List<Integer> latest = new ArrayList<>(order);
    Collections.reverse(latest);
    for (int step : latest) {
      int undo = draft.index().compensation(step);
      if (undo >= 0 && draft.state(undo) == StepState.PENDING) {
        return step;
      }
    }
    throw new IllegalStateException("A compensation is pending, but no step has one");
  }

  private boolean start(int undo, Jobs jobs) {
    try {
      Work.Task task = (Work.Task) draft.node(undo).work();
      String payload = draft.payloads().text(undo, task.payload());
      draft.started(undo, jobs.create(undo, StepRef.NO_ITEM, task.job(), payload).toString());
      return true;
    } catch (StepFailed failed) {
      RunData.Failure why = failed.failure();
      draft.failed(undo, new RunData.Failure(COMPENSATION_FAILED, why.describe()));
      return false;
    }
  }

  /** Skips what is left of compensations and goes on to the finally steps. */
  void enterFinally() {
    draft.enter(RunPhase.FINALLY);
    draft.untime(-1);
    boolean any = false;
    for (int step = 0; step < draft.index().size(); step++) {
      Part part = draft.node(step).part();
      if (part == Part.COMPENSATION && draft.state(step) == StepState.PENDING) {
        draft.skipped(step, null);
      }
      any |= part == Part.FINALLY;
    }
    if (any) {
      draft.event(RunEvent.Kind.FINALLY, -1, null);
    }
  }
}
