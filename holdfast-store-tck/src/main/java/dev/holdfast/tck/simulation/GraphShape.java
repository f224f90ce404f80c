package dev.holdfast.tck.simulation;

import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.RunPhase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  private record Node(String name, Part part, List<Integer> after) {}

  private final List<Node> nodes = new ArrayList<>();
  private final @Nullable MaxActive limit;
  private final boolean hasDeadline;

  GraphShape(Workflow<?, ?> workflow) {
    this.limit = workflow.maxActive().orElse(null);
    this.hasDeadline = workflow.deadline().isPresent();
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
        nodes.add(new Node(step.name(), Part.MAIN, after));
      }
    }
    for (StepDefinition step : workflow.steps()) {
      if (step.compensation() != null) {
        nodes.add(new Node("undo:" + step.name(), Part.COMPENSATION, all));
      }
    }
    for (StepDefinition step : workflow.steps()) {
      if (step.isFinally()) {
        nodes.add(new Node(step.name(), Part.FINALLY, all));
      }
    }
  }

  int size() {
    return nodes.size();
  }

  /** Returns how many runs may be active; null for no limit. */
  @Nullable MaxActive limit() {
    return limit;
  }

  boolean hasDeadline() {
    return hasDeadline;
  }

  /**
   * Returns the letters of a run that is moved here from another shape. A main step that is new is
   * skipped if its part is over.
   */
  String moved(GraphShape from, String letters, RunPhase phase) {
    boolean isOver = phase == RunPhase.COMPENSATE || phase == RunPhase.FINALLY;
    StringBuilder moved = new StringBuilder();
    for (Node node : nodes) {
      int before = from.position(node.name);
      StepState fresh = isOver && node.part == Part.MAIN ? StepState.SKIPPED : StepState.PENDING;
      moved.append(before < 0 ? fresh.letter() : letters.charAt(before));
    }
    return moved.toString();
  }

  /** Returns the position here of a step of another shape, which exists in both. */
  int moved(GraphShape from, int step) {
    return position(from.nodes.get(step).name);
  }

  private int position(String name) {
    return nodes.stream().map(Node::name).toList().indexOf(name);
  }

  /** Returns the names of the main steps. */
  List<String> mainSteps() {
    return nodes.stream().filter(node -> node.part == Part.MAIN).map(Node::name).toList();
  }

  /**
   * Returns the steps that a rerun keeps: those that succeeded or were skipped, and come after none
   * of the given ones nor after one that is not kept.
   */
  Set<Integer> kept(List<String> from, String letters) {
    Set<Integer> kept = new HashSet<>();
    for (int step = 0; step < nodes.size(); step++) {
      Node node = nodes.get(step);
      StepState state = StepState.of(letters.charAt(step));
      if (node.part == Part.MAIN
          && !from.isEmpty()
          && !from.contains(node.name)
          && (state == StepState.SUCCEEDED || state == StepState.SKIPPED)
          && kept.containsAll(node.after)) {
        kept.add(step);
      }
    }
    return kept;
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
