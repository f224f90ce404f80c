package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.workflow.Source.Input;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds all problems of a graph, so that they are reported together: first those of the workflow,
 * then those of each step in the order of the steps, then those of its result.
 */
final class WorkflowCheck {
  private static final int MOST_STEPS = 2_000;

  private final Workflow<?, ?> workflow;
  private final StepGraph graph;
  private final Problems problems = new Problems();

  private WorkflowCheck(Workflow<?, ?> workflow) {
    this.workflow = workflow;
    this.graph = new StepGraph(workflow.steps());
  }

  static List<String> problemsOf(Workflow<?, ?> workflow, List<String> typeErrors) {
    WorkflowCheck check = new WorkflowCheck(workflow);
    check.checkWorkflow();
    check.checkSteps();
    check.checkRequired();
    check.checkResult();
    List<String> all = new ArrayList<>(check.problems.found());
    all.addAll(typeErrors);
    return all.stream().distinct().toList();
  }

  private void checkWorkflow() {
    problems.unless(() -> Names.workflow(workflow.name()));
    workflow.label().ifPresent(label -> problems.unless(() -> Names.text("Workflow label", label)));
    workflow
        .deadline()
        .ifPresent(time -> problems.unless(() -> Times.positive("A deadline", time)));
    int count = workflow.steps().size();
    if (count == 0) {
      problems.add("The workflow has no steps: add at least one.");
    }
    if (count > MOST_STEPS) {
      problems.add(
          String.format(
              Locale.ROOT,
              "The workflow has %,d steps: at most %,d are possible, so move some of them into a"
                  + " child workflow.",
              count,
              MOST_STEPS));
    }
  }

  private void checkSteps() {
    Map<String, String> cycles = CycleCheck.problemsOf(graph);
    Map<String, String> unreachable = new ReachCheck(graph).problems();
    Set<String> seen = new HashSet<>();
    for (StepDefinition step : workflow.steps()) {
      StepCheck.check(step, problems);
      ReferenceCheck.check(step, graph, problems);
      if (seen.add(step.name())) {
        checkUnique(step.name());
        problems.addIfAny(cycles.get(step.name()));
        problems.addIfAny(unreachable.get(step.name()));
      }
    }
  }

  private void checkUnique(String name) {
    int count = graph.count(name);
    if (count > 1) {
      problems.add(
          "Step name '%s' is used by %d steps: give each of them another name."
              .formatted(name, count));
    }
  }

  private void checkRequired() {
    for (String name : workflow.required()) {
      if (!graph.has(name)) {
        problems.add(
            "mustSucceed names step '%s', which does not exist: %s"
                .formatted(name, Suggestion.orElse(name, graph.names(), "add it to this flow.")));
      }
    }
  }

  private void checkResult() {
    Input result = workflow.result().orElse(null);
    if (result == null) {
      return;
    }
    StepCheck.checkPath(result, "The result", problems);
    if (result instanceof Input.Output output && !graph.has(output.step())) {
      problems.add(
          "The result is the output of step '%s', which does not exist: %s"
              .formatted(
                  output.step(),
                  Suggestion.orElse(output.step(), graph.names(), "add it to this flow.")));
    }
  }
}
