package dev.holdfast.api.workflow;

import java.util.List;

/** The graph of a workflow is not valid. The message lists all problems. */
public final class InvalidWorkflowException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String workflow;
  private final transient List<String> problems;

  /**
   * Creates the exception.
   *
   * @param workflow the name of the workflow
   * @param problems what is wrong with it, one sentence each
   */
  public InvalidWorkflowException(String workflow, List<String> problems) {
    super(
        "Workflow '%s' is not valid:\n  - %s".formatted(workflow, String.join("\n  - ", problems)));
    this.workflow = workflow;
    this.problems = List.copyOf(problems);
  }

  /** Returns the name of the workflow. */
  public String workflow() {
    return workflow;
  }

  /** Returns what is wrong with it, one sentence each. */
  public List<String> problems() {
    return problems;
  }
}
