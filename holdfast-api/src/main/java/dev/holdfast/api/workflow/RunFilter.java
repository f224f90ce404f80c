package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selects runs. A run matches if it meets all criteria that are set.
 *
 * @param states the states to match; empty for all
 * @param workflow the name of the workflow to match; null for all
 * @param tag a tag that runs must have; null for all runs
 * @param parent the run whose child runs to match; null for all runs
 * @param createdAfter matches runs that were started at this time or later; null for all
 * @param createdBefore matches runs that were started before this time; null for all
 * @param onlyStranded whether to match only runs that no live node can continue
 */
public record RunFilter(
    Set<RunState> states,
    @Nullable String workflow,
    @Nullable String tag,
    @Nullable RunId parent,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore,
    boolean onlyStranded) {
  private static final RunFilter ALL = new RunFilter(Set.of(), null, null, null, null, null, false);

  /**
   * Copies the states and checks the times.
   *
   * @throws IllegalArgumentException if a time is not from the year 1 to the year 9999
   */
  public RunFilter {
    states = Set.copyOf(states);
    check(createdAfter);
    check(createdBefore);
  }

  private static void check(@Nullable Instant time) {
    if (time != null && !Times.isStorable(time)) {
      throw new IllegalArgumentException(
          "No run can have been started at %s: give a time from %s to %s."
              .formatted(time, Times.EARLIEST, Times.LATEST));
    }
  }

  /** Returns a filter that matches every run. */
  public static RunFilter all() {
    return ALL;
  }

  /** Returns this filter restricted to runs in any of these states. Defaults to all states. */
  public RunFilter state(RunState... any) {
    return with(draft -> draft.states = Set.of(any));
  }

  /** Returns this filter restricted to a workflow. Defaults to all workflows. */
  public RunFilter workflow(String name) {
    return with(draft -> draft.workflow = Names.workflow(name));
  }

  /** Returns this filter restricted to runs with a tag. Defaults to runs with any or no tags. */
  public RunFilter tag(String value) {
    return with(draft -> draft.tag = Names.text("Tag", value));
  }

  /** Returns this filter restricted to the child runs of a run. Defaults to all runs. */
  public RunFilter childrenOf(RunId run) {
    return with(draft -> draft.parent = run);
  }

  /**
   * Returns this filter restricted to runs that were started at this time or later, by the clock of
   * the database. Defaults to no restriction.
   */
  public RunFilter createdAfter(Instant time) {
    return with(draft -> draft.createdAfter = time);
  }

  /**
   * Returns this filter restricted to runs that were started before this time, by the clock of the
   * database. Defaults to no restriction.
   */
  public RunFilter createdBefore(Instant time) {
    return with(draft -> draft.createdBefore = time);
  }

  /**
   * Returns this filter restricted to open runs that no live node can continue: none reads the
   * format of their graph, or none has a handler for a step that is ready. Their reason is {@code
   * VERSION_STRANDED}. Defaults to all runs.
   */
  public RunFilter stranded() {
    return with(draft -> draft.onlyStranded = true);
  }

  private RunFilter with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.filter();
  }

  /** A filter that is being changed. */
  private static final class Draft {
    private Set<RunState> states;
    private @Nullable String workflow;
    private @Nullable String tag;
    private @Nullable RunId parent;
    private @Nullable Instant createdAfter;
    private @Nullable Instant createdBefore;
    private boolean onlyStranded;

    Draft(RunFilter from) {
      this.states = from.states;
      this.workflow = from.workflow;
      this.tag = from.tag;
      this.parent = from.parent;
      this.createdAfter = from.createdAfter;
      this.createdBefore = from.createdBefore;
      this.onlyStranded = from.onlyStranded;
    }

    RunFilter filter() {
      return new RunFilter(
          states, workflow, tag, parent, createdAfter, createdBefore, onlyStranded);
    }
  }

  /** Returns whether runs in this state can match. */
  public boolean admits(RunState state) {
    return states.isEmpty() || states.contains(state);
  }
}
