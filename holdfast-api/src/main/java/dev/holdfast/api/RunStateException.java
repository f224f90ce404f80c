package dev.holdfast.api;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;

/** Thrown when the state of a run does not allow an operation. Nothing was changed. */
public final class RunStateException extends HoldfastException {
  private static final long serialVersionUID = 1L;
  private final transient RunId run;
  private final RunState state;

  /**
   * Creates the exception.
   *
   * @param operation what was requested, to follow "cannot be": {@code resumed}
   * @param remedy what is possible instead
   */
  public RunStateException(RunId run, RunState state, String operation, String remedy) {
    super("Run %s is %s and cannot be %s: %s".formatted(run, state, operation, remedy));
    this.run = run;
    this.state = state;
  }

  /** Returns the id of the run. */
  public RunId run() {
    return run;
  }

  /** Returns the state of the run. */
  public RunState state() {
    return state;
  }
}
