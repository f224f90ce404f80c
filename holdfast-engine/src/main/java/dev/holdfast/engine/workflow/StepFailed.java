package dev.holdfast.engine.workflow;

import dev.holdfast.engine.store.RunData;

/** Thrown when a step fails before it starts. */
final class StepFailed extends Exception {
  private static final long serialVersionUID = 1L;

  static final String NOT_JSON = "NOT_JSON";
  static final String NOT_A_LIST = "NOT_A_LIST";
  static final String MAP_TOO_LARGE = "MAP_TOO_LARGE";
  static final String UNKNOWN_WORKFLOW = "UNKNOWN_WORKFLOW";

  private final String code;
  private final String reason;

  StepFailed(String code, String reason) {
    super(code + ": " + reason);
    this.code = code;
    this.reason = reason;
  }

  RunData.Failure failure() {
    return new RunData.Failure(code, reason);
  }
}
