package dev.holdfast.api.run;

/**
 * Thrown when a durable step is started while another one of the same name is in progress in the
 * same attempt: which of them is the first could differ between attempts.
 */
public final class ParallelStepException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final String step;

  /** Creates the exception for a step of this name. */
  public ParallelStepException(String step) {
    super(
        "Step '%s' is in progress already: give steps that run at the same time, or one inside the other, different names."
            .formatted(step));
    this.step = step;
  }

  /** Returns the name of the step. */
  public String step() {
    return step;
  }
}
