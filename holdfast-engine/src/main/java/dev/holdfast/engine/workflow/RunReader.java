package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Composes what clients read of a run from its row, what belongs to it, and its graph.
 *
 * @param stranded why no live node can continue it; null if one can
 */
record RunReader(RunRow row, @Nullable String stranded) {

  /** Returns a run of a list: with the states of its steps, and nothing else about them. */
  Run brief(Graph graph) {
    List<RunStep> steps = new ArrayList<>();
    for (int at = 0; at < row.steps().length(); at++) {
      steps.add(new StepSnapshot(graph, at, letter(at), null, null, null, null, null));
    }
    return new RunSnapshot(row, stranded, steps);
  }

  /** Returns a run whose graph this version cannot read: without steps. */
  Run unreadable() {
    return new RunSnapshot(row, stranded, List.of());
  }

  /** Returns a run with all that is known about its steps. */
  Run full(RunRow.Details details, Graph graph, StepWaits.Questions questions) {
    StepWaits waits = new StepWaits(row, details, graph, questions);
    Map<Integer, RunRow.Result> results = new HashMap<>();
    details.results().forEach(result -> results.put(result.step(), result));
    List<RunStep> steps = new ArrayList<>();
    for (int at = 0; at < row.steps().length(); at++) {
      steps.add(
          new StepSnapshot(
              graph,
              at,
              letter(at),
              details.jobs().get(at),
              results.get(at),
              details.maps().get(at),
              details.children().get(at),
              waits.of(at)));
    }
    return new RunSnapshot(row, stranded, steps);
  }

  private StepState letter(int at) {
    return StepState.of(row.steps().charAt(at));
  }
}
