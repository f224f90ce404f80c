package dev.holdfast.tck.simulation;

import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a checker knows about the steps of a workflow: main steps, then compensations, then finally
 * steps, as they are stored. The steps of simulated workflows are added after their dependencies.
 */
final class GraphShape {
  /** The part of a workflow that a step belongs to. */
  enum Part {
    MAIN,
    COMPENSATION,
    FINALLY
  }

  private record Node(Part part, List<Integer> after) {}

  private final List<Node> nodes = new ArrayList<>();

  GraphShape(Workflow<?, ?> workflow) {
    Map<String, Integer> positions = new HashMap<>();
    List<Integer> all = new ArrayList<>();
    for (StepDefinition step : workflow.steps()) {
      if (!step.isFinally()) {
        List<Integer> after = new ArrayList<>();
        for (String name : step.after()) {
          after.add(Objects.requireNonNull(positions.get(name)));
        }
        positions.put(step.name(), nodes.size());
        all.add(nodes.size());
        nodes.add(new Node(Part.MAIN, after));
      }
    }
    for (StepDefinition step : workflow.steps()) {
      if (step.compensation() != null) {
        nodes.add(new Node(Part.COMPENSATION, all));
      }
    }
    for (StepDefinition step : workflow.steps()) {
      if (step.isFinally()) {
        nodes.add(new Node(Part.FINALLY, all));
      }
    }
  }

  int size() {
    return nodes.size();
  }

  Part part(int step) {
    return nodes.get(step).part;
  }

  /** Returns whether all steps have ended that must end before this one starts. */
  boolean mayStart(int step, String letters) {
    return nodes.get(step).after.stream()
        .allMatch(other -> StepState.of(letters.charAt(other)).hasEnded());
  }
}
