package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import java.time.Instant;
import java.util.Set;
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

  /** Copies the states. */
  public RunFilter {
    states = Set.copyOf(states);
  }

  /** Returns a filter that matches every run. */
  public static RunFilter all() {
    return ALL;
  }

  /** Returns this filter restricted to runs in any of these states. Defaults to all states. */
  public RunFilter state(RunState... any) {
    return new RunFilter(
        Set.of(any), workflow, tag, parent, createdAfter, createdBefore, onlyStranded);
  }

  /** Returns this filter restricted to a workflow. Defaults to all workflows. */
  public RunFilter workflow(String name) {
    return new RunFilter(
        states, Names.workflow(name), tag, parent, createdAfter, createdBefore, onlyStranded);
  }

  /** Returns this filter restricted to runs with a tag. Defaults to runs with any or no tags. */
  public RunFilter tag(String value) {
    return new RunFilter(
        states,
        workflow,
        Names.text("Tag", value),
        parent,
        createdAfter,
        createdBefore,
        onlyStranded);
  }

  /** Returns this filter restricted to the child runs of a run. Defaults to all runs. */
  public RunFilter childrenOf(RunId run) {
    return new RunFilter(states, workflow, tag, run, createdAfter, createdBefore, onlyStranded);
  }

  /** Returns this filter restricted to runs started at this time or later. */
  public RunFilter createdAfter(Instant time) {
    return new RunFilter(states, workflow, tag, parent, time, createdBefore, onlyStranded);
  }

  /** Returns this filter restricted to runs started before this time. */
  public RunFilter createdBefore(Instant time) {
    return new RunFilter(states, workflow, tag, parent, createdAfter, time, onlyStranded);
  }

  /**
   * Returns this filter restricted to open runs that no live node can continue: none reads the
   * format of their graph, or none has a handler for a step that is ready. Their reason is {@code
   * VERSION_STRANDED}. Defaults to all runs.
   */
  public RunFilter stranded() {
    return new RunFilter(states, workflow, tag, parent, createdAfter, createdBefore, true);
  }

  /** Returns whether runs in this state can match. */
  public boolean admits(RunState state) {
    return states.isEmpty() || states.contains(state);
  }
}
