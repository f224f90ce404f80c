package dev.holdfast.engine.workflow;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.RunRow;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The graphs that this process knows: of workflows that it defines, and of runs that it has read.
 */
public final class WorkflowCatalog {
  private final Definitions definitions;
  private final PayloadCodec codec;
  private final GraphPlanner planner;
  private final KnownRuns known;

  /** By identity. A program may define workflows again and again. */
  private final Map<Workflow<?, ?>, Registered> registered =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Map<String, Workflow<?, ?>> defined = new ConcurrentHashMap<>();
  private final Map<Workflow<?, ?>, String> hashes = new ConcurrentHashMap<>();

  /** A workflow of this process, with its graph as stored. */
  record Registered(Definitions.Stored stored, Graph graph) {}

  public WorkflowCatalog(Definitions definitions, PayloadCodec codec, GraphPlanner planner) {
    this.definitions = definitions;
    this.codec = codec;
    this.planner = planner;
    this.known = new KnownRuns(planner);
  }

  /** Returns the planner that decides about runs of these graphs. */
  public GraphPlanner planner() {
    return planner;
  }

  /** Returns the runs that this process started or advanced last. */
  KnownRuns known() {
    return known;
  }

  /** Returns a planner for one advance, from whose plans this process learns. */
  public PlanRecorder recorder(RunPlanner by) {
    return new PlanRecorder(by, known);
  }

  /**
   * Stores the graph of a workflow, and those of its child workflows, if they are not stored.
   *
   * @throws dev.holdfast.api.workflow.InvalidWorkflowException if one of them is not valid; nothing
   *     was stored
   */
  public void register(Workflow<?, ?> workflow) {
    registered(workflow);
  }

  /**
   * Defines workflows of this process, so that runs can be started by name. Each is stored when it
   * is first started, unless a node has stored it by then.
   */
  public void define(Collection<Workflow<?, ?>> workflows) {
    workflows.forEach(workflow -> defined.put(workflow.name(), workflow));
  }

  Registered registered(Workflow<?, ?> workflow) {
    Registered known = registered.get(workflow);
    if (known != null) {
      return known;
    }
    GraphCompiler.Compiled compiled = new GraphCompiler(codec).compile(workflow);
    List<Definitions.Definition> all = List.copyOf(compiled.definitions().values());
    // Before they are stored: runs would pin them.
    all.forEach(definition -> GraphCheck.valid(GraphJson.read(definition)));
    List<Definitions.Stored> stored = definitions.register(all);
    stored.forEach(planner::learn);
    Definitions.Stored own = stored.getLast(); // Children come first.
    Registered fresh = new Registered(own, planner.graph(own.id()));
    registered.put(workflow, fresh);
    return fresh;
  }

  /** Returns the hash under which the graph of a workflow is stored. */
  public static String hash(Workflow<?, ?> workflow, PayloadCodec codec) {
    return new GraphCompiler(codec).compile(workflow).hash();
  }

  /**
   * Returns the graph of a workflow and those of the workflows that it starts, in the form in which
   * they are stored, for a process that has no store.
   */
  public static List<Definitions.Definition> definitions(
      Workflow<?, ?> workflow, PayloadCodec codec) {
    return List.copyOf(new GraphCompiler(codec).compile(workflow).definitions().values());
  }

  /**
   * Checks a graph that another process has compiled, before it is stored.
   *
   * @throws IllegalArgumentException if it is not valid or has another hash
   */
  public static void check(Definitions.Definition definition) {
    Graph graph;
    try {
      graph = GraphJson.read(definition);
      GraphCheck.valid(graph);
    } catch (RuntimeException unreadable) {
      throw new IllegalArgumentException(
          "The graph of workflow '%s' cannot be read: %s"
              .formatted(definition.name(), unreadable.getMessage()),
          unreadable);
    }
    if (!GraphJson.definition(graph).equals(definition)) {
      throw new IllegalArgumentException(
          "The graph of workflow '%s' is not the one with the hash %s."
              .formatted(definition.name(), definition.hash()));
    }
  }

  /** Returns the names of the workflows that are stored, in alphabetical order. */
  public List<String> names() {
    return definitions.names();
  }

  /** Returns the graphs of a workflow by hash, the one that was stored last first. */
  public Map<String, Graph> versions(String workflow) {
    Map<String, Graph> versions = new LinkedHashMap<>();
    definitions
        .versions(workflow)
        .forEach(stored -> versions.put(stored.hash(), GraphJson.read(stored.definition())));
    return versions;
  }

  /**
   * Returns a stored graph.
   *
   * @throws HoldfastException if there is none with this hash
   */
  public Graph stored(String hash) {
    return GraphJson.read(find(hash).definition());
  }

  /**
   * Returns the graph of a workflow that was stored last. If the one that this process {@linkplain
   * #define defines} was never stored, it is newer than those: it is stored, and returned. One that
   * is stored may be older: a newer program has started before this one was replaced.
   *
   * @throws UnknownWorkflowException if there is neither
   */
  Registered latest(String workflow) {
    List<Definitions.Stored> versions = definitions.versions(workflow);
    Workflow<?, ?> own = defined.get(workflow);
    if (own != null && versions.stream().noneMatch(stored -> stored.hash().equals(hash(own)))) {
      forget(own); // If it is in the cache, it was deleted since.
      return registered(own);
    }
    if (versions.isEmpty()) {
      throw new UnknownWorkflowException(workflow, definitions.names());
    }
    return usable(versions.getFirst());
  }

  private String hash(Workflow<?, ?> own) {
    return hashes.computeIfAbsent(own, any -> hash(any, codec));
  }

  /**
   * Returns a stored graph, so that runs can be started with it.
   *
   * @throws HoldfastException if there is none with this hash
   */
  Registered current(String hash) {
    return usable(find(hash));
  }

  private Registered usable(Definitions.Stored found) {
    // It may be retired, because no program that defines it has used it for long.
    Definitions.Stored latest = definitions.register(List.of(found.definition())).get(0);
    planner.learn(latest);
    Graph graph = planner.graph(latest.id());
    learnChildren(graph);
    return new Registered(latest, graph);
  }

  /** Reads the graphs of all workflows that runs of a graph start: the first plan needs them. */
  void learnChildren(Graph graph) {
    List<String> unknown =
        graph.steps().stream()
            .flatMap(step ->
                step.work() instanceof Graph.Work.Child child
                    ? Stream.of(child.hash())
                    : Stream.empty())
            .filter(hash -> planner.idOf(hash) == null)
            .distinct()
            .toList();
    for (Definitions.Stored child :
        unknown.isEmpty() ? List.<Definitions.Stored>of() : definitions.find(unknown)) {
      planner.learn(child);
      learnChildren(planner.graph(child.id()));
    }
  }

  /** Registers a workflow again when it is used next. */
  void forget(Workflow<?, ?> workflow) {
    registered.remove(workflow);
  }

  /** Returns the graph of a run; reads it if it is not known. */
  Graph graph(int definition, String hash) {
    if (!planner.knows(definition)) {
      planner.learn(find(hash));
    }
    return planner.graph(definition);
  }

  /** Returns the graph of a run with what is computed from it; reads it if it is not known. */
  GraphIndex index(int definition, String hash) {
    return new GraphIndex(graph(definition, hash));
  }

  /** Returns the graph of a run; empty if it was stored by a newer version. */
  Optional<Graph> readable(RunRow row) {
    if (!planner.knows(row.definition())) {
      Definitions.Stored stored = find(row.hash());
      if (stored.definition().format() > Graph.FORMAT) {
        return Optional.empty();
      }
      planner.learn(stored);
    }
    return Optional.of(planner.graph(row.definition()));
  }

  private Definitions.Stored find(String hash) {
    return definitions.find(List.of(hash)).stream()
        .findFirst()
        .orElseThrow(() ->
            new HoldfastException(
                "No workflow with the hash %s is registered: start a node or a client that defines it."
                    .formatted(hash)));
  }

  /** Returns which steps a retry opens again, and how long they may take. */
  RunControl.Reset reset() {
    return new RunControl.Reset() {
      @Override
      public String steps(int definition, String letters) {
        return planner.reset(definition, letters);
      }

      @Override
      public boolean continues(int definition, int step, String letters) {
        return planner.isUnblocked(definition, step, letters);
      }

      @Override
      public Optional<Duration> timeout(int definition, int step) {
        return Optional.ofNullable(planner.graph(definition).steps().get(step).timeout());
      }
    };
  }

  /** Returns how a run can continue with another graph. */
  Move move(RunRow row, String hash) {
    Definitions.Stored target = find(hash);
    planner.learn(target);
    MovePlan plan =
        MovePlan.of(
            graph(row.definition(), row.hash()),
            planner.graph(target.id()),
            row.steps(),
            row.phase(),
            JobTrace.read(row.source().startedBy()));
    return new Move(target.id(), plan);
  }

  /** A plan to move a run, with the id of the graph to move to. */
  record Move(int definition, MovePlan plan) {}
}
