package dev.holdfast.api;

import dev.holdfast.api.workflow.Run;

/** Thrown when an awaited run ended without success. */
public final class RunFailedException extends HoldfastException {
  private static final long serialVersionUID = 1L;
  private final transient Run run;

  /** Creates the exception for a run that has ended. */
  public RunFailedException(Run run) {
    super(
        "Run %s of workflow %s ended %s%s"
            .formatted(
                run.id(),
                run.workflow(),
                run.state(),
                run.reason().map(reason -> ": " + reason).orElse("")));
    this.run = run;
  }

  /** Returns the ended run, with its steps. */
  public Run run() {
    return run;
  }
}
