package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.StepState;
import org.jspecify.annotations.Nullable;

/**
 * Reproduces the states of the steps of a run from its events. A retry writes STEP_RETRIED for each
 * step that is open again, followed by STEP_STARTED if its child run or map continues at once.
 */
public final class RunReplay {
  private final StringBuilder letters;

  /** Creates the replay of a run with this number of steps, none of which has started. */
  public RunReplay(int steps) {
    this.letters = new StringBuilder(String.valueOf(StepState.PENDING.letter()).repeat(steps));
  }

  /** Applies the next event. */
  public void apply(RunEvent.Kind kind, int step) {
    StepState state = stateAfter(kind);
    if (state != null && step >= 0) {
      letters.setCharAt(step, state.letter());
    }
  }

  /** Returns one letter for each step. */
  public String letters() {
    return letters.toString();
  }

  private static @Nullable StepState stateAfter(RunEvent.Kind kind) {
    return switch (kind) {
      case STEP_STARTED -> StepState.ACTIVE;
      case STEP_WAITING -> StepState.WAITING;
      case STEP_SUCCEEDED -> StepState.SUCCEEDED;
      case STEP_FAILED -> StepState.FAILED;
      case STEP_CANCELLED -> StepState.CANCELLED;
      case STEP_SKIPPED -> StepState.SKIPPED;
      case STEP_RETRIED -> StepState.PENDING;
      case CREATED,
          QUEUED,
          SIGNALLED,
          RECOVERED,
          PAUSED,
          RESUMED,
          CANCELLING,
          COMPENSATING,
          FINALLY,
          MOVED,
          RETRIED,
          ENDED ->
          null;
    };
  }
}
