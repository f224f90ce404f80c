package dev.holdfast.engine.workflow;

import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a new run takes over from the run that it repeats. */
final class Rerun {
  private Rerun() {}

  /**
   * Returns the results of the steps that do not run again: those that succeeded and come after
   * none of the given steps, nor after a step that did not succeed.
   *
   * @param from the names of the steps to run again; empty for all
   * @throws IllegalArgumentException if a step does not exist
   */
  static List<RunPlan.Result> inherited(
      Graph graph, RunRow original, List<String> from, List<RunPlan.Result> results) {
    Set<Integer> again = again(graph, original, from);
    return results.stream().filter(result -> !again.contains(result.step())).toList();
  }

  private static Set<Integer> again(Graph graph, RunRow original, List<String> from) {
    Set<Integer> again = new HashSet<>();
    from.forEach(name -> again.add(position(graph, original, name)));
    for (int at = 0; at < graph.steps().size(); at++) { // In topological order.
      Graph.Node node = graph.steps().get(at);
      StepState state = StepState.of(original.steps().charAt(at));
      boolean keeps =
          node.part() == Graph.Part.MAIN
              && (state == StepState.SUCCEEDED || state == StepState.SKIPPED)
              && node.after().stream().noneMatch(again::contains);
      if (from.isEmpty() || !keeps) {
        again.add(at);
      }
    }
    return again;
  }

  private static int position(Graph graph, RunRow original, String name) {
    List<String> names = graph.steps().stream().map(Graph.Node::name).toList();
    int position = names.indexOf(name);
    if (position < 0) {
      throw new IllegalArgumentException(
          "Run %s has no step '%s': %s"
              .formatted(
                  original.id(),
                  name,
                  Suggestion.orElse(name, names, "use one of " + names + ".")));
    }
    return position;
  }
}
