package dev.holdfast.engine.workflow;

import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.StepRef;

/**
 * Describes steps for messages. Jobs know the position of their step in the graph, but not its
 * name, so the run is read for each message.
 */
public final class StepNames {
  private final RunQueries runs;
  private final WorkflowCatalog catalog;

  public StepNames(RunQueries runs, WorkflowCatalog catalog) {
    this.runs = runs;
    this.catalog = catalog;
  }

  /** Returns a description such as "step 'charge' of run 0197…". Never throws. */
  public String describe(StepRef ref) {
    String element = ref.item() == StepRef.NO_ITEM ? "" : "element %d of ".formatted(ref.item());
    return "%sstep %s of run %s".formatted(element, name(ref), ref.run());
  }

  private String name(StepRef ref) {
    try {
      return runs.find(ref.run())
          .map(row -> catalog.graph(row.definition(), row.hash()))
          .filter(graph -> ref.step() < graph.steps().size())
          .map(graph -> "'%s'".formatted(graph.steps().get(ref.step()).name()))
          .orElse(String.valueOf(ref.step()));
    } catch (RuntimeException unknown) { // A message with the position is better than none.
      return String.valueOf(ref.step());
    }
  }
}
