package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a new run takes over from the run that it repeats: the outcomes of the steps that do not run
 * again.
 *
 * @param letters the states of its steps when it starts
 * @param inherited the results that it takes over
 * @param data the same results, as a planner reads them
 */
record Rerun(String letters, List<RunPlan.Result> inherited, RunData data) {

  /**
   * Takes over what lies before the given steps.
   *
   * @param from the names of the steps to run again; empty for all
   * @throws IllegalArgumentException if a step does not exist
   */
  static Rerun of(Graph graph, RunRow original, List<String> from, List<RunPlan.Result> results) {
    Set<Integer> again = again(graph, original, from);
    StringBuilder letters = new StringBuilder();
    for (int at = 0; at < graph.steps().size(); at++) {
      boolean keeps = !again.contains(at) && graph.steps().get(at).part() == Graph.Part.MAIN;
      char old = original.steps().charAt(at);
      letters.append(keeps && (old == 'S' || old == 'K') ? old : '.');
    }
    List<RunPlan.Result> inherited =
        results.stream().filter(result -> letters.charAt(result.step()) == 'S').toList();
    return new Rerun(letters.toString(), inherited, data(inherited));
  }

  /** Returns the given steps, those that did not succeed, and all steps after them. */
  private static Set<Integer> again(Graph graph, RunRow original, List<String> from) {
    Set<Integer> again = new HashSet<>();
    for (String name : from) {
      again.add(position(graph, original, name));
    }
    for (int at = 0; at < graph.steps().size(); at++) { // In topological order.
      char old = original.steps().charAt(at);
      boolean kept = old == 'S' || old == 'K';
      if (from.isEmpty()
          || !kept
          || graph.steps().get(at).after().stream().anyMatch(again::contains)) {
        again.add(at);
      }
    }
    return again;
  }

  private static int position(Graph graph, RunRow original, String name) {
    for (int at = 0; at < graph.steps().size(); at++) {
      if (graph.steps().get(at).name().equals(name)) {
        return at;
      }
    }
    throw new IllegalArgumentException(
        "Run %s has no step '%s': use one of %s."
            .formatted(original.id(), name, graph.steps().stream().map(Graph.Node::name).toList()));
  }

  private static RunData data(List<RunPlan.Result> inherited) {
    Map<Integer, Optional<String>> outputs = new HashMap<>();
    Map<Integer, TreeMap<Integer, Optional<String>>> items = new HashMap<>();
    for (RunPlan.Result result : inherited) {
      if (result.outcome() != StepState.SUCCEEDED) {
        continue;
      }
      if (result.item() == StepRef.NO_ITEM) {
        outputs.put(result.step(), Optional.ofNullable(result.output()));
      } else {
        items
            .computeIfAbsent(result.step(), step -> new TreeMap<>())
            .put(result.item(), Optional.ofNullable(result.output()));
      }
    }
    Map<Integer, List<@Nullable String>> lists = new HashMap<>();
    items.forEach((step, byItem) -> lists.put(step, list(byItem)));
    return new RunData(outputs, lists, Map.of(), List.of(), Map.of());
  }

  /** Returns the outputs by position; null where an element has none. */
  private static List<@Nullable String> list(TreeMap<Integer, Optional<String>> byItem) {
    List<@Nullable String> outputs = new ArrayList<>();
    for (int item = 0; item <= byItem.lastKey(); item++) {
      outputs.add(byItem.getOrDefault(item, Optional.empty()).orElse(null));
    }
    return outputs;
  }
}
