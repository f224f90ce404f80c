package dev.holdfast.api.workflow;

/** The state of a step of a run. */
public enum StepState {
  /** Its dependencies have not ended, or the run is paused. */
  PENDING('.'),
  /** Its job, child run or map children exist and have not all ended. */
  ACTIVE('A'),
  /** Waits for a time or a signal. */
  WAITING('W'),
  /** Succeeded. */
  SUCCEEDED('S'),
  /** Failed permanently. */
  FAILED('F'),
  /** Its job or child run was cancelled. */
  CANCELLED('C'),
  /** Did not run, because its rule did not hold or the run was cancelled. */
  SKIPPED('K');

  private final char letter;

  StepState(char letter) {
    this.letter = letter;
  }

  /** Returns the letter that stands for this state in stored runs. */
  public char letter() {
    return letter;
  }

  /**
   * Returns the state that a letter stands for.
   *
   * @throws IllegalArgumentException if the letter stands for none
   */
  public static StepState of(char letter) {
    for (StepState state : values()) {
      if (state.letter == letter) {
        return state;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is not the state of a step: use one of .AWSFCK.".formatted(letter));
  }

  /** Returns whether the step has ended. */
  public boolean hasEnded() {
    return this != PENDING && this != ACTIVE && this != WAITING;
  }
}
