package dev.holdfast.engine.workflow;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunRow;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The graphs that this process knows: of workflows that it defines, and of runs that it has read.
 */
public final class WorkflowCatalog {
  private final Definitions definitions;
  private final PayloadCodec codec;
  private final GraphPlanner planner;
  private final Map<Workflow<?, ?>, Registered> registered = new ConcurrentHashMap<>();

  /** A workflow of this process, with its graph as stored. */
  record Registered(Definitions.Stored stored, Graph graph) {}

  public WorkflowCatalog(Definitions definitions, PayloadCodec codec, GraphPlanner planner) {
    this.definitions = definitions;
    this.codec = codec;
    this.planner = planner;
  }

  /** Returns the planner that decides about runs of these graphs. */
  public GraphPlanner planner() {
    return planner;
  }

  /** Stores the graph of a workflow, and those of its child workflows, if they are not stored. */
  public void register(Workflow<?, ?> workflow) {
    registered(workflow);
  }

  Registered registered(Workflow<?, ?> workflow) {
    Registered known = registered.get(workflow);
    if (known != null) {
      return known;
    }
    GraphCompiler.Compiled compiled = new GraphCompiler(codec).compile(workflow);
    List<Definitions.Stored> stored =
        definitions.register(List.copyOf(compiled.definitions().values()));
    stored.forEach(planner::learn);
    Definitions.Stored own = stored.getLast(); // Children come first.
    Registered fresh = new Registered(own, planner.graph(own.id()));
    registered.put(workflow, fresh);
    return fresh;
  }

  /** Returns the version of a workflow that was registered last, by this or another process. */
  Registered latest(String workflow) {
    Definitions.Stored stored =
        definitions.versions(workflow).stream()
            .findFirst()
            .orElseThrow(() ->
                new HoldfastException(
                    "No workflow '%s' is registered: start a node that defines it."
                        .formatted(workflow)));
    return new Registered(stored, graph(stored.id(), stored.hash()));
  }

  /** Returns the graph of a run; reads it if it is not known. */
  Graph graph(int definition, String hash) {
    if (!planner.knows(definition)) {
      planner.learn(find(hash));
    }
    return planner.graph(definition);
  }

  private Definitions.Stored find(String hash) {
    return definitions.find(List.of(hash)).stream()
        .findFirst()
        .orElseThrow(() ->
            new HoldfastException(
                "No workflow with the hash %s is registered: start a node or a client that defines it."
                    .formatted(hash)));
  }

  /** Returns the steps that a retry opens again. */
  String reset(int definition, String letters) {
    return planner.reset(definition, letters);
  }

  /** Returns how a run can continue with another graph. */
  Move move(RunRow row, String hash) {
    Definitions.Stored target = find(hash);
    planner.learn(target);
    MovePlan plan =
        MovePlan.of(graph(row.definition(), row.hash()), planner.graph(target.id()), row.steps());
    return new Move(target.id(), plan);
  }

  /** A plan to move a run, with the id of the graph to move to. */
  record Move(int definition, MovePlan plan) {}
}
