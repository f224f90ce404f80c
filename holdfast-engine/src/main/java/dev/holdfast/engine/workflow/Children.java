package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creates child runs, together with what their start does. */
final class Children {
  private static final int TIME_SHIFT = 16;

  private final Draft draft;
  private final GraphPlanner planner;

  Children(Draft draft, GraphPlanner planner) {
    this.draft = draft;
    this.planner = planner;
  }

  boolean knows(Graph.Work.Child child) {
    return planner.idOf(child.hash()) != null;
  }

  /** Returns the limit on active runs that a child run counts against; null for none. */
  NewRun.@Nullable Gate gate(Graph.Work.Child child, @Nullable String input) throws StepFailed {
    Integer definition = planner.idOf(child.hash());
    try {
      return definition == null ? null : Gates.ofChild(planner.graph(definition), input);
    } catch (IllegalArgumentException notJson) {
      throw new StepFailed(StepFailed.NOT_JSON, String.valueOf(notJson.getMessage()));
    }
  }

  /** Adds a child run, whose graph is known, to the plan and returns its id. */
  RunId create(
      int step, Graph.Work.Child child, @Nullable String input, NewRun.@Nullable Gate gate) {
    Integer definition = planner.idOf(child.hash());
    if (definition == null) {
      throw new IllegalStateException("The graph of '%s' is not known".formatted(child.workflow()));
    }
    RunId parent = draft.facts().id();
    RunId id = new RunId(after(parent.value(), planner.newId()));
    // A child gets its input from its parent, so it has neither a schedule nor an event.
    RunSource own = draft.facts().source();
    RunSource source =
        new RunSource(own.stack(), JobTrace.with(null, JobTrace.read(own.startedBy())));
    GraphPlanner.Start start =
        new GraphPlanner.Start(id, definition, input, draft.facts().priority(), source, List.of());
    NewRun run =
        new NewRun(
            id,
            false,
            new NewRun.Content(
                definition,
                child.workflow(),
                input,
                null,
                Set.of(),
                null,
                draft.facts().priority(),
                gate,
                new StepRef(parent, step, StepRef.NO_ITEM),
                null,
                source,
                List.of()),
            planner.first(start, Math.max(draft.room(), 0)));
    draft.reserve(run.first().jobs().size());
    draft.child(run);
    return id;
  }

  /**
   * Returns an id that is greater than that of the parent, even if the clock of this node is
   * behind: runs are locked in the order of their ids, and parents must come first.
   */
  static UUID after(UUID parent, UUID id) {
    if (new RunId(id).compareTo(new RunId(parent)) > 0) {
      return id;
    }
    long time = (parent.getMostSignificantBits() >>> TIME_SHIFT) + 1;
    long rest = id.getMostSignificantBits() & ((1L << TIME_SHIFT) - 1);
    return new UUID(time << TIME_SHIFT | rest, id.getLeastSignificantBits());
  }
}
