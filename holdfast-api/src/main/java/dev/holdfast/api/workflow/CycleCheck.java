package dev.holdfast.api.workflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds cycles. Steps that all wait for each other can be part of many cycles; one of them is
 * reported, the shortest through the first of these steps.
 */
final class CycleCheck {
  private CycleCheck() {}

  /** Returns the problems by the name of the first step of the cycle. */
  static Map<String, String> problemsOf(StepGraph graph) {
    Set<String> left = new LinkedHashSet<>(graph.names());
    graph.inOrder().forEach(step -> left.remove(step.name()));
    Map<String, String> problems = new HashMap<>();
    Set<String> reported = new HashSet<>();
    for (String first : left) {
      if (!reported.contains(first)) {
        Map<String, String> reachedFrom = search(graph, first);
        if (reachedFrom.containsKey(first)) {
          problems.put(
              first,
              "Step '%s' waits for itself: %s; remove one of these dependencies."
                  .formatted(first, String.join(" → ", path(first, reachedFrom))));
          reported.addAll(connected(graph, first, reachedFrom.keySet()));
        }
      }
    }
    return problems;
  }

  /** Returns the steps after a step, each with the step before it on the shortest path. */
  private static Map<String, String> search(StepGraph graph, String first) {
    Map<String, String> reachedFrom = new HashMap<>();
    Deque<String> open = new ArrayDeque<>(List.of(first));
    while (!open.isEmpty()) {
      String step = open.remove();
      for (String next : graph.dependents(step)) {
        if (reachedFrom.putIfAbsent(next, step) == null) {
          open.add(next);
        }
      }
    }
    return reachedFrom;
  }

  private static List<String> path(String first, Map<String, String> reachedFrom) {
    List<String> path = new ArrayList<>(List.of(first));
    String step = reachedFrom.getOrDefault(first, first);
    while (!step.equals(first)) {
      path.addFirst(step);
      step = reachedFrom.getOrDefault(step, first);
    }
    path.addFirst(first);
    return path;
  }

  /** Returns the steps that are both after and before a step: those that wait for each other. */
  private static Set<String> connected(StepGraph graph, String first, Set<String> after) {
    Set<String> connected = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(first));
    while (!open.isEmpty()) {
      StepDefinition step = graph.find(open.remove());
      if (step != null && connected.add(step.name())) {
        step.after().stream().filter(after::contains).forEach(open::add);
      }
    }
    return connected;
  }
}
