package dev.holdfast.api;

import dev.holdfast.api.internal.Suggestion;
import java.util.Collection;

/** Thrown when no workflow of a name is registered. Nothing was changed. */
public final class UnknownWorkflowException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String workflow;

  /**
   * Creates the exception.
   *
   * @param known the names of registered workflows, for a suggestion
   */
  public UnknownWorkflowException(String workflow, Collection<String> known) {
    super(
        "No workflow '%s' is registered: %s"
            .formatted(
                workflow,
                Suggestion.orElse(
                    workflow,
                    known,
                    "start a node that has it, or a first run from a client that defines it.")));
    this.workflow = workflow;
  }

  /** Returns the name. */
  public String workflow() {
    return workflow;
  }
}
