package dev.holdfast.api;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.api.trigger.Publisher;
import dev.holdfast.api.trigger.Triggers;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client: ask for work, see what became of it, change one's mind.
 *
 * <p>A client needs no node in its process. It is safe for use by many threads.
 */
public interface Holdfast extends Enqueuer, Publisher, AutoCloseable {

  /**
   * Enqueue and publish inside a transaction of the caller's own: the jobs exist if and when it
   * commits.
   *
   * @throws UnsupportedOperationException if the store behind this client is not a database
   */
  TransactionScope in(Connection transaction);

  /**
   * Enqueue and publish inside a transaction of the caller's own, where something tells when it
   * commits: nodes are woken then. Otherwise the wakeup travels inside the transaction, whose
   * commit takes a lock of the whole database for that.
   *
   * @param afterCommit is given what is to be done once the transaction has committed; to forget it
   *     makes nodes find the jobs by polling
   * @throws UnsupportedOperationException if the store behind this client is not a database
   */
  TransactionScope in(Connection transaction, Consumer<Runnable> afterCommit);

  /** Read a job, whatever its state. */
  Optional<Job> find(JobId id);

  /**
   * Wait until a job has ended and return its result.
   *
   * @return the result; null where the task has none, or its result is not kept
   * @throws JobFailedException if it ended otherwise than by success
   * @throws AwaitTimeoutException if it had not ended in time
   * @throws IllegalArgumentException if there is no such job
   */
  <R> @Nullable R await(JobId id, Class<R> resultType, Duration atMost) throws InterruptedException;

  /** Wait until an enqueued job has ended and return its result. */
  default <R> @Nullable R await(Enqueued<R> job, Duration atMost) throws InterruptedException {
    return await(job.id(), job.resultType(), atMost);
  }

  /**
   * List jobs, newest first.
   *
   * @param before where the page before this one ended: its last id; null for the first page
   * @param limit how many at most, 1 to 1000
   */
  List<Job> list(JobFilter filter, @Nullable JobId before, int limit);

  /**
   * Count jobs by state. Ended jobs are counted from a tally, or by tag from an index; history is
   * not scanned.
   */
  Map<JobState, Long> count(JobFilter filter);

  /** Say why a job is not running; empty if there is no such job. */
  Optional<WaitReason> whyWaiting(JobId id);

  /** Cancel a job: at once if it has not begun, by interrupting it if it runs. */
  CancelResult cancel(JobId id);

  /** Run a dead-lettered job again, with a fresh budget of attempts. */
  RetryResult retry(JobId id);

  /**
   * Runs all jobs of a filter again that were dead-lettered before this call, and returns how many.
   * Jobs that fail again meanwhile stay in the dead-letter queue.
   */
  long retryAll(JobFilter filter);

  /**
   * Deletes all jobs of a filter that were dead-lettered before this call, and returns how many.
   */
  long purge(JobFilter filter);

  /**
   * Let a job be run by whoever is free: one that waits for its time or failed for good is ready at
   * once, one that a node holds is asked back from it.
   */
  RequeueResult requeue(JobId id);

  /** Steer nodes. */
  Nodes nodes();

  /** Pause, resume and limit queues. */
  Queues queues();

  /** Limit tasks, and look at their breakers. */
  Tasks tasks();

  /** Say which events start which tasks. */
  Triggers triggers();

  /** Make, find and steer work that recurs. */
  Schedules schedules();

  /** Let go of what the client holds. Jobs are not affected. */
  @Override
  void close();
}
