package dev.holdfast.engine.workflow;

import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a new run takes over from the run that it repeats.
 *
 * @param results the results of the steps that do not run again: those that succeeded and come
 *     after none of the given steps, nor after a step that did not succeed
 * @param edited the steps among them whose outputs were replaced
 */
record Rerun(List<RunPlan.Result> results, Set<Integer> edited) {

  /**
   * Returns what a new run takes over.
   *
   * @param results the results of the original run
   * @param limit the maximum size of an output, in bytes
   * @throws IllegalArgumentException if a step does not exist, or its output cannot be replaced
   */
  static Rerun of(
      Graph graph, RunRow original, RerunOptions options, List<RunPlan.Result> results, int limit) {
    Set<Integer> again = again(graph, original, options.from());
    Map<Integer, String> edits = edits(graph, original, options.outputs(), again, limit);
    List<RunPlan.Result> kept = new ArrayList<>();
    for (RunPlan.Result result : results) {
      String output = result.item() == StepRef.NO_ITEM ? edits.get(result.step()) : null;
      if (!again.contains(result.step())) {
        kept.add(output == null ? result : edited(result, output));
      }
    }
    return new Rerun(kept, edits.keySet());
  }

  private static RunPlan.Result edited(RunPlan.Result result, String output) {
    return new RunPlan.Result(
        result.step(), result.item(), result.outcome(), output, result.failure());
  }

  private static Map<Integer, String> edits(
      Graph graph, RunRow original, Map<String, String> outputs, Set<Integer> again, int limit) {
    Map<Integer, String> edits = new HashMap<>();
    outputs.forEach((name, output) -> {
      int at = position(graph, original, name);
      if (graph.steps().get(at).work() instanceof Graph.Work.Map) {
        throw refused(
            original, name, "it is a map", "run it again with another input or other outputs.");
      }
      if (again.contains(at)) {
        throw refused(
            original,
            name,
            "the step runs again",
            "replace outputs of steps that come before those to run again.");
      }
      if (StepState.of(original.steps().charAt(at)) != StepState.SUCCEEDED) {
        throw refused(
            original, name, "the step was skipped", "replace outputs of steps that succeeded.");
      }
      edits.put(at, Encoding.bounded(output, "step '%s'".formatted(name), limit));
    });
    return edits;
  }

  private static IllegalArgumentException refused(
      RunRow original, String step, String why, String remedy) {
    return new IllegalArgumentException(
        "The output of step '%s' cannot be replaced in a rerun of run %s, because %s: %s"
            .formatted(step, original.id(), why, remedy));
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
