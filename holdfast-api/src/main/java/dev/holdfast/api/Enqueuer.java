package dev.holdfast.api;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.util.List;
import java.util.function.UnaryOperator;

/** Somewhere to leave a wish for work. */
public interface Enqueuer {

  /**
   * Enqueue one job. When this returns, the job is durable.
   *
   * @throws IllegalArgumentException for bad input; nothing was written
   * @throws DuplicateJobException if its unique key is taken and it asked to fail then
   * @throws StoreException if the database could not be reached in time; asking again with the same
   *     {@link JobRequest#withId id} is safe whatever happened
   */
  <P, R> Enqueued<R> enqueue(JobRequest<P, R> request);

  /** Enqueue one job with the defaults of its task. */
  default <P, R> Enqueued<R> enqueue(TaskType<P, R> type, P payload) {
    return enqueue(JobRequest.of(type, payload));
  }

  /** Enqueue one job with some of its task's defaults changed. */
  default <P, R> Enqueued<R> enqueue(
      TaskType<P, R> type, P payload, UnaryOperator<JobOptions.Builder> changes) {
    return enqueue(JobRequest.of(type, payload, changes));
  }

  /**
   * Enqueue many jobs in one transaction: all of them or, if anything is wrong with one, none.
   * Answers come in the order of the requests.
   */
  List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests);
}
