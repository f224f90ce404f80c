package dev.holdfast.engine.intake;

import dev.holdfast.api.EnqueueInterceptor;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.Enqueued;
import java.util.List;
import java.util.function.Function;

/** Runs the interceptors of a client around an enqueue. */
final class EnqueueChain {
  private final List<EnqueueInterceptor> interceptors;

  EnqueueChain(List<EnqueueInterceptor> interceptors) {
    this.interceptors = interceptors;
  }

  boolean isEmpty() {
    return interceptors.isEmpty();
  }

  /**
   * Enqueues what the interceptors let through.
   *
   * @param last the enqueue itself
   */
  List<Enqueued<?>> run(
      List<? extends JobRequest<?, ?>> requests,
      Function<List<? extends JobRequest<?, ?>>, List<Enqueued<?>>> last) {
    return run(0, requests, last);
  }

  private List<Enqueued<?>> run(
      int position,
      List<? extends JobRequest<?, ?>> requests,
      Function<List<? extends JobRequest<?, ?>>, List<Enqueued<?>>> last) {
    if (position == interceptors.size()) {
      return last.apply(requests);
    }
    EnqueueInterceptor interceptor = interceptors.get(position);
    List<JobRequest<?, ?>> given = List.copyOf(requests);
    List<Enqueued<?>> results =
        interceptor.intercept(
            new EnqueueInterceptor.Enqueue() {
              @Override
              public List<JobRequest<?, ?>> requests() {
                return given;
              }

              @Override
              public List<Enqueued<?>> proceed(List<? extends JobRequest<?, ?>> changed) {
                return run(position + 1, changed, last);
              }
            });
    if (results.size() != requests.size()) {
      throw new IllegalStateException(
          "%s returned %d results for %d requests: an interceptor must return one per request."
              .formatted(interceptor.getClass().getName(), results.size(), requests.size()));
    }
    return results;
  }
}
