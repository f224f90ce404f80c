package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.api.workflow.Source.Input;

/** Checks which steps a step names: in its dependencies, in its source and in its rule. */
final class ReferenceCheck {
  private final StepDefinition step;
  private final StepGraph graph;
  private final Problems problems;

  private ReferenceCheck(StepDefinition step, StepGraph graph, Problems problems) {
    this.step = step;
    this.graph = graph;
    this.problems = problems;
  }

  static void check(StepDefinition step, StepGraph graph, Problems problems) {
    ReferenceCheck check = new ReferenceCheck(step, graph, problems);
    step.after().forEach(check::checkDependency);
    RuleAtoms.steps(step.rule()).forEach(check::checkNamedInRule);
  }

  private void checkDependency(String name) {
    StepDefinition dependency = graph.find(name);
    if (dependency == null) {
      problems.add(
          "Step '%s' %s step '%s', which does not exist: %s"
              .formatted(
                  step.name(),
                  isSource(name) ? "reads the output of" : "is after",
                  name,
                  remedyFor(name)));
    } else if (step.isFinally() && !dependency.isFinally()) {
      problems.add(
          "Finally step '%s' is after step '%s', which is not a finally step: remove the dependency, because finally steps run after all other steps."
              .formatted(step.name(), name));
    } else if (!step.isFinally() && dependency.isFinally()) {
      problems.add(
          "Step '%s' is after finally step '%s', which runs after all other steps: remove the dependency."
              .formatted(step.name(), name));
    }
  }

  private boolean isSource(String name) {
    return step.work().input().orElse(null) instanceof Input.Output output
        && output.step().equals(name);
  }

  private void checkNamedInRule(String name) {
    if (step.after().contains(name)) {
      return;
    }
    if (!graph.has(name)) {
      problems.add(
          "The rule of step '%s' names step '%s', which does not exist: %s"
              .formatted(step.name(), name, remedyFor(name)));
    } else if (name.equals(step.name())) {
      problems.add(
          "The rule of step '%s' names the step itself: name one of its dependencies."
              .formatted(name));
    } else {
      problems.add(
          "The rule of step '%s' names step '%s', which is not one of its dependencies: add it with after."
              .formatted(step.name(), name));
    }
  }

  private String remedyFor(String unknown) {
    return Suggestion.orElse(unknown, graph.names(), "add it, or correct the name.");
  }
}
