package dev.holdfast.api.workflow;

import java.util.ArrayList;
import java.util.List;

/** Finds all problems of a graph, so that they are reported together. */
final class WorkflowCheck {
  private WorkflowCheck() {}

  static List<String> problemsOf(Workflow<?, ?> workflow, List<String> typeErrors) {
    List<String> problems = new ArrayList<>(typeErrors);
    return problems;
  }
}
