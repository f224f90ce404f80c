package dev.holdfast.api;

import dev.holdfast.api.job.Enqueued;
import java.util.List;

/**
 * Wraps every enqueue of a client, for concerns that all tasks share: tags for the tenant, checks,
 * tracing.
 *
 * <pre>{@code
 * EnqueueInterceptor tenant =
 *     enqueue ->
 *         enqueue.proceed(
 *             enqueue.requests().stream().map(request -> request.with(job -> job.tags("t1"))).toList());
 * }</pre>
 *
 * <p>The first interceptor of a client is the outermost. Jobs that triggers and schedules create
 * are not intercepted: no client enqueues them.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

  /** The enqueue that is intercepted. */
  interface Enqueue {
    /** Returns the jobs to enqueue: one, or all of a bulk. */
    List<JobRequest<?, ?>> requests();

    /**
     * Runs the next interceptor or the enqueue itself, with these requests.
     *
     * @return one result per request, in the order of the requests
     */
    List<Enqueued<?>> proceed(List<? extends JobRequest<?, ?>> requests);

    /** Runs the next interceptor or the enqueue itself, with unchanged requests. */
    default List<Enqueued<?>> proceed() {
      return proceed(requests());
    }
  }

  /**
   * Runs around an enqueue.
   *
   * @return one result per request that was intercepted, in their order; usually that of {@link
   *     Enqueue#proceed}
   * @throws RuntimeException to reject the enqueue; nothing is written
   */
  List<Enqueued<?>> intercept(Enqueue enqueue);
}
