package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects jobs. A job matches if it meets all criteria that are set; {@link #ALL} sets none.
 *
 * <pre>{@code
 * JobFilter failed = JobFilter.state(JobState.FAILED).task("email::welcome");
 * }</pre>
 *
 * @param states the states to match; empty for all
 * @param queue the queue to match; null for all
 * @param task the name of the task to match; null for all
 * @param tag a tag that jobs must have; null for all jobs
 */
public record JobFilter(
    Set<JobState> states, @Nullable String queue, @Nullable String task, @Nullable String tag) {

  /** Matches every job. */
  public static final JobFilter ALL = new JobFilter(Set.of(), null, null, null);

  /** Copies the states. */
  public JobFilter {
    states = Set.copyOf(states);
  }

  /** Returns a filter that matches jobs in any of these states. Without states, it matches all. */
  public static JobFilter state(JobState... states) {
    return new JobFilter(Set.of(states), null, null, null);
  }

  /** Returns this filter restricted to a queue. Defaults to all queues. */
  public JobFilter queue(String name) {
    return new JobFilter(states, Names.queue(name), task, tag);
  }

  /** Returns this filter restricted to a task. Defaults to all tasks. */
  public JobFilter task(String name) {
    return new JobFilter(states, queue, Names.task(name), tag);
  }

  /** Returns this filter restricted to jobs with a tag. Defaults to jobs with any or no tags. */
  public JobFilter tag(String value) {
    return new JobFilter(states, queue, task, Names.text("Tag", value));
  }

  /** Returns whether jobs in this state can match. */
  public boolean admits(JobState state) {
    return states.isEmpty() || states.contains(state);
  }
}
