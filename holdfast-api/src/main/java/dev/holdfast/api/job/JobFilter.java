package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs are meant. What is not named does not matter: {@link #ALL} means every job.
 *
 * @param states any of these states; empty for any
 * @param queue in this queue
 * @param task of this task
 * @param tag carrying this tag
 */
public record JobFilter(
    Set<JobState> states, @Nullable String queue, @Nullable String task, @Nullable String tag) {

  /** Every job. */
  public static final JobFilter ALL = new JobFilter(Set.of(), null, null, null);

  public JobFilter {
    states = Set.copyOf(states);
  }

  public static JobFilter state(JobState... states) {
    return new JobFilter(Set.of(states), null, null, null);
  }

  public JobFilter queue(String name) {
    return new JobFilter(states, Names.queue(name), task, tag);
  }

  public JobFilter task(String name) {
    return new JobFilter(states, queue, Names.task(name), tag);
  }

  public JobFilter tag(String value) {
    return new JobFilter(states, queue, task, Names.text("Tag", value));
  }

  /** Whether a job in this state can pass. */
  public boolean admits(JobState state) {
    return states.isEmpty() || states.contains(state);
  }
}
