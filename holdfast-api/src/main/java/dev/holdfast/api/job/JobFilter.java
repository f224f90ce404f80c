package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selects jobs. A job matches if it meets all criteria that are set; {@link #all} sets none, and
 * each method returns a narrower filter.
 *
 * <pre>{@code
 * JobFilter failed = JobFilter.all().state(JobState.FAILED).task("email::welcome");
 * }</pre>
 *
 * @param states the states to match; empty for all
 * @param queue the queue to match; null for all
 * @param task the name of the task to match; null for all
 * @param tag a tag that jobs must have; null for all jobs
 * @param createdAfter matches jobs that were enqueued at this time or later; null for all
 * @param createdBefore matches jobs that were enqueued before this time; null for all
 */
public record JobFilter(
    Set<JobState> states,
    @Nullable String queue,
    @Nullable String task,
    @Nullable String tag,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore) {
  private static final JobFilter ALL = new JobFilter(Set.of(), null, null, null, null, null);

  /**
   * Copies the states and checks the times.
   *
   * @throws IllegalArgumentException if a time is not from the year 1 to the year 9999
   */
  public JobFilter {
    states = Set.copyOf(states);
    check(createdAfter);
    check(createdBefore);
  }

  private static void check(@Nullable Instant time) {
    if (time != null && !Times.isStorable(time)) {
      throw new IllegalArgumentException(
          "No job can have been created at %s: give a time from %s to %s."
              .formatted(time, Times.EARLIEST, Times.LATEST));
    }
  }

  /** Returns a filter that matches every job. */
  public static JobFilter all() {
    return ALL;
  }

  /** Returns this filter restricted to jobs in any of these states. Defaults to all states. */
  public JobFilter state(JobState... any) {
    return states(Set.of(any));
  }

  /**
   * Returns this filter restricted to jobs in any of these states. Defaults to all states.
   *
   * @param any the states; empty for all
   */
  public JobFilter states(Set<JobState> any) {
    return with(draft -> draft.states = any);
  }

  /** Returns this filter restricted to a queue. Defaults to all queues. */
  public JobFilter queue(String name) {
    return with(draft -> draft.queue = Names.queue(name));
  }

  /** Returns this filter restricted to a task. Defaults to all tasks. */
  public JobFilter task(String name) {
    return with(draft -> draft.task = Names.task(name));
  }

  /** Returns this filter restricted to jobs with a tag. Defaults to jobs with any or no tags. */
  public JobFilter tag(String value) {
    return with(draft -> draft.tag = Names.text("Tag", value));
  }

  /**
   * Returns this filter restricted to jobs that were enqueued at this time or later, by the clock
   * of the database. Defaults to no restriction.
   *
   * <p>Lists and counts look for such jobs by the time in their ids, so ids of your own should be
   * UUIDv7. They find nearly all jobs with ids that contain no time, and none whose id contains a
   * time that is more than an hour wrong.
   */
  public JobFilter createdAfter(Instant time) {
    return with(draft -> draft.createdAfter = time);
  }

  /**
   * Returns this filter restricted to jobs that were enqueued before this time, by the clock of the
   * database. Defaults to no restriction.
   */
  public JobFilter createdBefore(Instant time) {
    return with(draft -> draft.createdBefore = time);
  }

  private JobFilter with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.filter();
  }

  /** A filter that is being changed. */
  private static final class Draft {
    private Set<JobState> states;
    private @Nullable String queue;
    private @Nullable String task;
    private @Nullable String tag;
    private @Nullable Instant createdAfter;
    private @Nullable Instant createdBefore;

    Draft(JobFilter from) {
      this.states = from.states;
      this.queue = from.queue;
      this.task = from.task;
      this.tag = from.tag;
      this.createdAfter = from.createdAfter;
      this.createdBefore = from.createdBefore;
    }

    JobFilter filter() {
      return new JobFilter(states, queue, task, tag, createdAfter, createdBefore);
    }
  }

  /** Returns whether jobs in this state can match. */
  public boolean admits(JobState state) {
    return states.isEmpty() || states.contains(state);
  }

  /** Returns whether a job that was enqueued at this time can match. */
  public boolean admits(Instant createdAt) {
    return (createdAfter == null || !createdAt.isBefore(createdAfter))
        && (createdBefore == null || createdAt.isBefore(createdBefore));
  }
}
