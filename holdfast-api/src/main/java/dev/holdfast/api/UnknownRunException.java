package dev.holdfast.api;

import dev.holdfast.api.workflow.RunId;

/** Thrown when a run does not exist or is no longer kept. */
public final class UnknownRunException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public UnknownRunException(RunId id) {
    super(
        "Run %s does not exist or is no longer kept: check the id, or list runs to find it."
            .formatted(id));
  }
}
