package dev.holdfast.api;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.api.trigger.Publisher;
import dev.holdfast.api.trigger.Triggers;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.SignalOptions;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client: enqueues jobs, publishes events, finds and awaits jobs, cancels and retries them, and
 * manages nodes, queues, tasks, triggers, schedules and runs of workflows.
 *
 * <pre>{@code
 * try (Holdfast holdfast = HoldfastClient.on(store)) {
 *   Enqueued<Void> job = holdfast.enqueue(WELCOME, new Welcome("ada@example.com"));
 *   holdfast.await(job, Duration.ofSeconds(30));
 * }
 * }</pre>
 *
 * <p>A client does not need a node in its process: create one with {@code
 * dev.holdfast.engine.client.HoldfastClient}. It is safe for use by multiple threads.
 *
 * <p>Methods that read or write the database throw a {@link StoreException} if it fails or does not
 * respond in time.
 */
public interface Holdfast extends Enqueuer, Publisher, AutoCloseable {

  /**
   * Returns a scope that enqueues and publishes inside your own transaction: the jobs exist if and
   * when that transaction commits.
   *
   * <p>The notification that wakes nodes is part of the transaction, and its commit takes a
   * database-wide lock for it. Use {@link #in(Connection, Consumer)} if many transactions commit
   * concurrently.
   *
   * @param transaction a connection with an open transaction
   * @throws UnsupportedOperationException if the store of this client is not a database
   */
  TransactionScope in(Connection transaction);

  /**
   * Returns a scope that enqueues and publishes inside your own transaction, and wakes nodes after
   * the commit. The commit takes no database-wide lock, unlike with {@link #in(Connection)}.
   *
   * @param transaction a connection with an open transaction
   * @param afterCommit receives the action to run after the commit, such as a method that registers
   *     a transaction callback. If the action is never run, nodes find the jobs by polling
   * @throws UnsupportedOperationException if the store of this client is not a database
   */
  TransactionScope in(Connection transaction, Consumer<Runnable> afterCommit);

  /**
   * Finds a job in any state.
   *
   * @return the job; empty if it does not exist or is no longer kept
   */
  Optional<Job> find(JobId id);

  /**
   * Waits until a job has ended and returns its result.
   *
   * @param resultType the type to decode the result to
   * @param atMost how long to wait
   * @return the result; null if the task has none, or if the result is not kept
   * @throws JobFailedException if the job failed, was cancelled or expired
   * @throws AwaitTimeoutException if the job has not ended in time
   * @throws IllegalArgumentException if the job does not exist
   * @throws InterruptedException if the calling thread is interrupted
   */
  <R> @Nullable R await(JobId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException;

  /**
   * Waits until a job has ended and returns its result, whose type is not generic.
   *
   * @see #await(JobId, TypeRef, Duration)
   */
  default <R> @Nullable R await(JobId id, Class<R> resultType, Duration atMost)
      throws InterruptedException {
    return await(id, TypeRef.of(resultType), atMost);
  }

  /**
   * Waits until an enqueued job has ended and returns its result.
   *
   * @see #await(JobId, TypeRef, Duration)
   */
  default <R> @Nullable R await(Enqueued<R> job, Duration atMost) throws InterruptedException {
    return await(job.id(), job.resultType(), atMost);
  }

  /**
   * Returns a stage that completes with the result of an enqueued job, or with the exception that
   * {@link #await(Enqueued, Duration)} would throw. Dependent stages run in a thread of this client
   * unless they are given an executor. No platform thread is blocked meanwhile.
   *
   * @param atMost how long to wait
   */
  default <R> CompletionStage<@Nullable R> awaitAsync(Enqueued<R> job, Duration atMost) {
    return awaitAsync(job.id(), job.resultType(), atMost);
  }

  /**
   * Returns a stage that completes with the result of a job.
   *
   * @see #awaitAsync(Enqueued, Duration)
   */
  <R> CompletionStage<@Nullable R> awaitAsync(JobId id, TypeRef<R> resultType, Duration atMost);

  /**
   * Lists jobs, newest first.
   *
   * <pre>{@code
   * List<Job> failed =
   *     holdfast.list(JobFilter.all().state(JobState.FAILED).queue("mail"), Page.first(50));
   * }</pre>
   */
  List<Job> list(JobFilter filter, Page<JobId> page);

  /**
   * Counts jobs by state, at most 10,000 in each, so that a count is cheap however many jobs there
   * are: {@link Counts#more} names the states of which there are, or may be, more. Jobs that
   * succeeded, were cancelled or expired are counted exactly, with stored totals, unless the filter
   * names a tag or a creation time.
   */
  Counts<JobState> count(JobFilter filter);

  /**
   * Explains why a job is not running.
   *
   * @return the reason; empty if the job does not exist
   */
  Optional<WaitReason> whyWaiting(JobId id);

  /**
   * Cancels a job. A job that has not started is cancelled immediately; a running one is
   * interrupted.
   */
  CancelResult cancel(JobId id);

  /** Runs a dead-lettered job again. Its attempts are counted from zero. */
  RetryResult retry(JobId id);

  /**
   * Runs all jobs again that match a filter and were dead-lettered before this call. Jobs that fail
   * again in the meantime stay in the dead-letter queue.
   *
   * @return how many jobs run again
   */
  long retryAll(JobFilter filter);

  /**
   * Deletes all jobs that match a filter and were dead-lettered before this call.
   *
   * @return how many jobs were deleted
   */
  long purge(JobFilter filter);

  /**
   * Makes a job available to any node. A scheduled or dead-lettered job becomes ready immediately,
   * and so does one that waits: its sleep ends, or the timeout of the signal that it awaits. A job
   * that is claimed or running is requested back from its node.
   */
  RequeueResult requeue(JobId id);

  /**
   * Sends a signal to a job, which its handler can {@linkplain
   * dev.holdfast.api.run.DurableSteps#awaitSignal await}. A signal that is sent before it is
   * awaited is kept as long as the job has not ended. Use {@link Runs#signal} for a step of a
   * workflow that awaits a signal without a handler.
   *
   * @param signal the name of the signal
   * @param payload the payload; null for none
   */
  default SignalResult signal(JobId id, String signal, @Nullable Object payload) {
    return signal(id, signal, payload, options -> {});
  }

  /**
   * Sends a signal to a job.
   *
   * @see #signal(JobId, String, Object)
   */
  SignalResult signal(
      JobId id, String signal, @Nullable Object payload, Consumer<SignalOptions.Builder> changes);

  /** Returns the manager of nodes: lists and fences them, and sets their modes. */
  Nodes nodes();

  /** Returns the manager of queues: pauses, resumes and limits them. */
  Queues queues();

  /** Returns the manager of tasks: limits them, and shows and closes their circuit breakers. */
  Tasks tasks();

  /** Returns the manager of triggers: defines which events start which tasks. */
  Triggers triggers();

  /** Returns the manager of schedules: creates, finds, pauses and cancels recurring jobs. */
  Schedules schedules();

  /** Returns the manager of runs: starts, finds, awaits and controls runs of workflows. */
  Runs runs();

  /** Releases the resources of this client. Jobs are not affected. */
  @Override
  void close();
}
