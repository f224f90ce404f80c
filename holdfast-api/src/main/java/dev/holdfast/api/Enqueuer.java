package dev.holdfast.api;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

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
      TaskType<P, R> type, P payload, Consumer<JobOptions.Builder> changes) {
    return enqueue(JobRequest.of(type, payload, changes));
  }

  /**
   * Enqueues several jobs in one transaction: all of them or, if one request fails, none.
   *
   * @return one result per request, in the order of the requests
   */
  List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests);

  /**
   * Enqueues one job per payload in one transaction, with the default options of the task.
   *
   * <pre>{@code
   * List<Enqueued<Void>> jobs = holdfast.enqueueAll(WELCOME, newcomers);
   * }</pre>
   *
   * @return one result per payload, in the order of the payloads
   * @see #enqueueAll(List)
   */
  default <P, R> List<Enqueued<R>> enqueueAll(
      TaskType<P, R> type, Collection<? extends P> payloads) {
    return enqueueAll(type, payloads, job -> {});
  }

  /**
   * Enqueues one job per payload in one transaction, and overrides some default options of the task
   * for all of them.
   *
   * @param changes sets the options that differ from the defaults of the task
   * @return one result per payload, in the order of the payloads
   * @see #enqueueAll(List)
   */
  default <P, R> List<Enqueued<R>> enqueueAll(
      TaskType<P, R> type, Collection<? extends P> payloads, Consumer<JobOptions.Builder> changes) {
    JobOptions options = type.defaults().with(changes);
    List<JobRequest<P, R>> requests = new ArrayList<>(payloads.size());
    for (P payload : payloads) {
      requests.add(new JobRequest<>(type, payload, options, null));
    }
    @SuppressWarnings("unchecked") // Each result belongs to the request at its position.
    List<Enqueued<R>> results = (List<Enqueued<R>>) (List<?>) enqueueAll(requests);
    return results;
  }
}
