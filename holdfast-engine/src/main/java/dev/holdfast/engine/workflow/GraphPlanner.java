package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.RunSource;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides how runs continue, from their graphs. It keeps the graphs that it has learned, and no
 * state of any run. Safe for use by several threads.
 */
public final class GraphPlanner implements RunPlanner {
  private final Supplier<UUID> ids;
  private final Map<Integer, GraphIndex> graphs = new ConcurrentHashMap<>();
  private final Map<String, Integer> idsByHash = new ConcurrentHashMap<>();

  /**
   * Creates a planner.
   *
   * @param ids the source of ids for jobs and child runs
   */
  public GraphPlanner(Supplier<UUID> ids) {
    this.ids = ids;
  }

  /**
   * A run to be started.
   *
   * @param inherited results that it takes over from the run that it repeats
   * @param edited the steps among them whose outputs were replaced
   */
  record Start(
      RunId id,
      int definition,
      @Nullable String input,
      @Nullable Integer priority,
      RunSource source,
      List<RunPlan.Result> inherited,
      Set<Integer> edited) {

    /** A run whose results are as they were in the run that it repeats. */
    Start(
        RunId id,
        int definition,
        @Nullable String input,
        @Nullable Integer priority,
        RunSource source,
        List<RunPlan.Result> inherited) {
      this(id, definition, input, priority, source, inherited, Set.of());
    }
  }

  @Override
  public boolean knows(int definition) {
    return graphs.containsKey(definition);
  }

  @Override
  public void learn(Definitions.Stored definition) {
    graphs.computeIfAbsent(
        definition.id(), id -> new GraphIndex(GraphJson.read(definition.definition())));
    idsByHash.put(definition.hash(), definition.id());
  }

  @Override
  public RunData.Needs needs(RunFacts facts) {
    // What a plan without data cannot decide is what must be read.
    Draft draft = Draft.rehearsal(index(facts.definition()), facts);
    new Advance(draft, this).run(false);
    return draft.needs();
  }

  @Override
  public RunPlan plan(RunFacts facts, RunData data) {
    return plan(facts, data, needs(facts));
  }

  /** Returns what an advance does; null if it needs more than these outputs. */
  @Nullable RunPlan planFrom(RunFacts facts, Map<Integer, Optional<String>> outputs) {
    RunData.Needs needs = needs(facts);
    boolean covered =
        outputs.keySet().containsAll(needs.outputs())
            && needs.items().isEmpty()
            && needs.signals().isEmpty()
            && !needs.successes()
            && needs.failures().isEmpty()
            && needs.definitions().isEmpty();
    return covered ? plan(facts, RunData.ofOutputs(outputs), needs) : null;
  }

  private RunPlan plan(RunFacts facts, RunData data, RunData.Needs needs) {
    // A rerun that had to wait has the results of steps already, so its letters do not tell.
    boolean isFirst =
        facts.marks().stream().anyMatch(RunMark::isAdmission)
            || (facts.phase() == RunPhase.MAIN
                && facts.steps().chars().allMatch(letter -> letter == StepState.PENDING.letter()));
    Draft draft = new Draft(index(facts.definition()), facts, data, needs, Draft.MOST_JOBS);
    new Advance(draft, this).run(isFirst);
    return draft.plan();
  }

  /** Returns what the start of a run does, whose graph is known. */
  RunPlan first(Start start) {
    return first(start, Draft.MOST_JOBS);
  }

  RunPlan first(Start start, int room) {
    Inherited inherited = new Inherited(index(start.definition()), start.inherited());
    RunFacts facts =
        new RunFacts(
            start.id(),
            start.definition(),
            RunState.RUNNING,
            RunPhase.MAIN,
            inherited.letters(),
            start.input(),
            null,
            start.priority(),
            start.source(),
            0,
            List.of(),
            Map.of(),
            Map.of());
    Draft draft =
        new Draft(index(start.definition()), facts, inherited.data(), inherited.asked(), room);
    draft.event(RunEvent.Kind.CREATED, -1, null);
    inherited.record(draft, start.edited());
    new Advance(draft, this).run(true);
    return draft.plan();
  }

  /**
   * Returns the letters of a run that is retried: steps that failed, were cancelled or skipped are
   * open again, and those that were undone with all that follow them, since they have used what was
   * undone. So is all cleanup. Steps that succeeded otherwise are kept.
   */
  String reset(int definition, String letters) {
    GraphIndex index = index(definition);
    BitSet undone = undone(index, letters);
    StringBuilder open = new StringBuilder(letters);
    for (int step = 0; step < letters.length(); step++) {
      boolean isReset =
          index.node(step).part() != Graph.Part.MAIN
              || switch (StepState.of(letters.charAt(step))) {
                case PENDING, ACTIVE, WAITING -> false;
                case FAILED, CANCELLED, SKIPPED -> true;
                case SUCCEEDED -> undone.get(step) || undone.intersects(index.sources(step));
              };
      if (isReset) {
        open.setCharAt(step, StepState.PENDING.letter());
      }
    }
    return open.toString();
  }

  private static BitSet undone(GraphIndex index, String letters) {
    BitSet undone = new BitSet();
    for (int step = 0; step < letters.length(); step++) {
      int undo = index.compensation(step);
      if (undo >= 0 && letters.charAt(undo) == StepState.SUCCEEDED.letter()) {
        undone.set(step);
      }
    }
    return undone;
  }

  /** Returns whether none of the dependencies of a step is open. */
  boolean isUnblocked(int definition, int step, String letters) {
    return index(definition).node(step).after().stream()
        .allMatch(before -> StepState.of(letters.charAt(before)).hasEnded());
  }

  /** Returns the id of a graph; null if it is not known. */
  @Nullable Integer idOf(String hash) {
    return idsByHash.get(hash);
  }

  /**
   * Returns a graph.
   *
   * @throws IllegalStateException if it is not known
   */
  Graph graph(int definition) {
    return index(definition).graph();
  }

  UUID newId() {
    return ids.get();
  }

  private GraphIndex index(int definition) {
    GraphIndex index = graphs.get(definition);
    if (index == null) {
      throw new IllegalStateException("Graph %d has not been learned".formatted(definition));
    }
    return index;
  }
}
