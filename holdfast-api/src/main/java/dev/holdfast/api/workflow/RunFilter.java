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
 */
public record RunFilter(
    Set<RunState> states,
    @Nullable String workflow,
    @Nullable String tag,
    @Nullable RunId parent,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore) {
  private static final RunFilter ALL = new RunFilter(Set.of(), null, null, null, null, null);

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
    return new RunFilter(Set.of(any), workflow, tag, parent, createdAfter, createdBefore);
  }

  /** Returns this filter restricted to a workflow. Defaults to all workflows. */
  public RunFilter workflow(String name) {
    return new RunFilter(states, Names.workflow(name), tag, parent, createdAfter, createdBefore);
  }

  /** Returns this filter restricted to runs with a tag. Defaults to runs with any or no tags. */
  public RunFilter tag(String value) {
    return new RunFilter(
        states, workflow, Names.text("Tag", value), parent, createdAfter, createdBefore);
  }

  /** Returns this filter restricted to the child runs of a run. Defaults to all runs. */
  public RunFilter childrenOf(RunId run) {
    return new RunFilter(states, workflow, tag, run, createdAfter, createdBefore);
  }

  /** Returns this filter restricted to runs started at this time or later. */
  public RunFilter createdAfter(Instant time) {
    return new RunFilter(states, workflow, tag, parent, time, createdBefore);
  }

  /** Returns this filter restricted to runs started before this time. */
  public RunFilter createdBefore(Instant time) {
    return new RunFilter(states, workflow, tag, parent, createdAfter, time);
  }

  /** Returns whether runs in this state can match. */
  public boolean admits(RunState state) {
    return states.isEmpty() || states.contains(state);
  }
}
