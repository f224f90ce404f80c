package dev.holdfast.api;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Enqueues jobs: in a transaction per call ({@link Holdfast}), or inside your own transaction
 * ({@link TransactionScope}).
 */
public interface Enqueuer {

  /**
   * Enqueues one job. When this method returns, the job is durable; inside your own transaction, it
   * is durable when that transaction commits.
   *
   * @return the id of the job, and whether this call created it
   * @throws IllegalArgumentException if the request is not valid; nothing was written
   * @throws DuplicateJobException if the unique key is taken and its conflict rule is FAIL
   * @throws StoreException if the database could not be reached in time. It is always safe to
   *     enqueue again with the same {@link JobRequest#withId id}
   */
  <P, R> Enqueued<R> enqueue(JobRequest<P, R> request);

  /**
   * Enqueues one job with the default options of its task.
   *
   * @see #enqueue(JobRequest)
   */
  default <P, R> Enqueued<R> enqueue(TaskType<P, R> type, P payload) {
    return enqueue(JobRequest.of(type, payload));
  }

  /**
   * Enqueues one job and overrides some default options of its task.
   *
   * <pre>{@code
   * holdfast.enqueue(WELCOME, new Welcome("ada@example.com"),
   *     job -> job.runIn(Duration.ofMinutes(5)).priority(7));
   * }</pre>
   *
   * @param changes sets the options that differ from the defaults of the task
   * @see #enqueue(JobRequest)
   */
  default <P, R> Enqueued<R> enqueue(
      TaskType<P, R> type, P payload, UnaryOperator<JobOptions.Builder> changes) {
    return enqueue(JobRequest.of(type, payload, changes));
  }

  /**
   * Enqueues several jobs in one transaction: all of them or, if one request fails, none.
   *
   * @return one result per request, in the order of the requests
   */
  List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests);
}
