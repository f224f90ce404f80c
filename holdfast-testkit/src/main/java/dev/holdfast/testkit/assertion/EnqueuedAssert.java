package dev.holdfast.testkit.assertion;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.task.TaskType;
import java.util.List;
import java.util.function.Predicate;

/**
 * Assertions about the jobs of one task. Each method that narrows them down asserts that at least
 * one job is left.
 *
 * @param <P> the type of the payload
 */
public final class EnqueuedAssert<P> {
  private final JobsAssert jobs;
  private final TaskType<P, ?> type;
  private final List<Job> matching;
  private final String what;

  EnqueuedAssert(JobsAssert jobs, TaskType<P, ?> type, List<Job> all) {
    this(jobs, type, all, "of task '%s'".formatted(type.name()));
  }

  private EnqueuedAssert(
      JobsAssert jobs, TaskType<P, ?> type, List<Job> matching, String description) {
    this.jobs = jobs;
    this.type = type;
    this.matching = List.copyOf(matching);
    this.what = description;
    if (matching.isEmpty()) {
      throw jobs.failure("Expected a job %s, but there is none.".formatted(description));
    }
  }

  private EnqueuedAssert<P> narrowed(String how, Predicate<? super Job> condition) {
    return new EnqueuedAssert<>(
        jobs, type, matching.stream().filter(condition).toList(), what + " " + how);
  }

  /** Narrows to jobs whose payload meets a condition. */
  public EnqueuedAssert<P> with(Predicate<? super P> condition) {
    return narrowed("with a matching payload", job -> hasPayload(job, condition));
  }

  /** Narrows to jobs whose payload is equal to this one. */
  public EnqueuedAssert<P> withPayload(P expected) {
    return narrowed("with payload " + expected, job -> hasPayload(job, expected::equals));
  }

  private boolean hasPayload(Job job, Predicate<? super P> condition) {
    String text = job.payload();
    P payload = text == null ? null : jobs.codec().decode(text, type.payload());
    return payload != null && condition.test(payload);
  }

  /** Narrows to jobs in this queue. */
  public EnqueuedAssert<P> inQueue(String queue) {
    return narrowed("in queue '%s'".formatted(queue), job -> job.queue().equals(queue));
  }

  /** Narrows to jobs with this tag. */
  public EnqueuedAssert<P> withTag(String tag) {
    return narrowed("with tag '%s'".formatted(tag), job -> job.tags().contains(tag));
  }

  /** Narrows to jobs that meet a condition, such as a priority or the time when they are due. */
  public EnqueuedAssert<P> matching(Predicate<? super Job> condition) {
    return narrowed("that meets the condition", condition);
  }

  /**
   * Asserts how many jobs are left.
   *
   * @throws AssertionError if there are more or fewer; the message lists the jobs that were
   *     enqueued
   */
  public EnqueuedAssert<P> times(int expected) {
    if (expected < 1) {
      throw new IllegalArgumentException(
          "%d jobs cannot be expected: use at least 1, or notEnqueued.".formatted(expected));
    }
    if (matching.size() != expected) {
      throw jobs.failure(
          "Expected %d %s %s, but there %s."
              .formatted(
                  expected,
                  expected == 1 ? "job" : "jobs",
                  what,
                  matching.size() == 1 ? "is 1" : "are " + matching.size()));
    }
    return this;
  }

  /** Returns the jobs that are left, newest first, for further assertions. */
  public List<Job> jobs() {
    return matching;
  }

  /** Asserts that at least one job of another task was enqueued. */
  public <Q> EnqueuedAssert<Q> enqueued(TaskType<Q, ?> other) {
    return jobs.enqueued(other);
  }

  /** Asserts that no job of another task was enqueued. */
  public JobsAssert notEnqueued(TaskType<?, ?> other) {
    return jobs.notEnqueued(other);
  }
}
