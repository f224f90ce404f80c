package dev.holdfast.api.workflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a workflow by name, and which steps depend on which. It may have any problem that
 * the checks look for: if several steps share a name, the first of them counts, and dependencies
 * that do not exist are left out.
 */
final class StepGraph {
  private final Map<String, StepDefinition> steps = new LinkedHashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private final Map<String, List<String>> dependents = new HashMap<>();

  StepGraph(List<StepDefinition> definitions) {
    for (StepDefinition step : definitions) {
      steps.putIfAbsent(step.name(), step);
      counts.merge(step.name(), 1, Integer::sum);
    }
    for (StepDefinition step : steps.values()) {
      for (String dependency : step.after()) {
        if (steps.containsKey(dependency)) {
          dependents.computeIfAbsent(dependency, name -> new ArrayList<>()).add(step.name());
        }
      }
    }
  }

  @Nullable StepDefinition find(String name) {
    return steps.get(name);
  }

  boolean has(String name) {
    return steps.containsKey(name);
  }

  int count(String name) {
    return counts.getOrDefault(name, 0);
  }

  /** Returns the names of all steps, in the order in which they were added. */
  Set<String> names() {
    return steps.keySet();
  }

  /** Returns the steps that depend on a step, in the order in which they were added. */
  List<String> dependents(String name) {
    return dependents.getOrDefault(name, List.of());
  }

  /** Returns the steps, each after its dependencies, without those on or after a cycle. */
  List<StepDefinition> inOrder() {
    Map<String, Integer> open = new HashMap<>();
    Deque<StepDefinition> ready = new ArrayDeque<>();
    for (StepDefinition step : steps.values()) {
      int dependencies = (int) step.after().stream().filter(this::has).count();
      open.put(step.name(), dependencies);
      if (dependencies == 0) {
        ready.add(step);
      }
    }
    List<StepDefinition> ordered = new ArrayList<>();
    while (!ready.isEmpty()) {
      StepDefinition step = ready.remove();
      ordered.add(step);
      for (String name : dependents(step.name())) {
        StepDefinition dependent = steps.get(name);
        if (dependent != null && open.merge(name, -1, Integer::sum) == 0) {
          ready.add(dependent);
        }
      }
    }
    return ordered;
  }
}
