package dev.holdfast.tck.simulation;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.workflow.RunReplay;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The states of the steps of a run as its events give them, also after a move. */
final class ReplayedSteps {
  private RunReplay replay;

  ReplayedSteps(int steps) {
    this.replay = new RunReplay(steps);
  }

  void apply(RunEvent.Kind kind, int step) {
    replay.apply(kind, step);
  }

  String letters() {
    return replay.letters();
  }

  StepState state(int step) {
    return StepState.of(replay.letters().charAt(step));
  }

  /** Returns the steps that have started and not ended. */
  Set<Integer> active() {
    return IntStream.range(0, letters().length())
        .filter(step -> state(step) == StepState.ACTIVE)
        .boxed()
        .collect(Collectors.toSet());
  }

  /** Continues with the letters of another graph. */
  void move(String letters) {
    replay = new RunReplay(letters.length());
    for (int step = 0; step < letters.length(); step++) {
      replay.apply(eventOf(StepState.of(letters.charAt(step))), step);
    }
  }

  private static RunEvent.Kind eventOf(StepState state) {
    return switch (state) {
      case PENDING -> RunEvent.Kind.STEP_RETRIED;
      case ACTIVE -> RunEvent.Kind.STEP_STARTED;
      case WAITING -> RunEvent.Kind.STEP_WAITING;
      case SUCCEEDED -> RunEvent.Kind.STEP_SUCCEEDED;
      case FAILED -> RunEvent.Kind.STEP_FAILED;
      case CANCELLED -> RunEvent.Kind.STEP_CANCELLED;
      case SKIPPED -> RunEvent.Kind.STEP_SKIPPED;
    };
  }
}
