package dev.holdfast.engine.run;

import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.api.run.TaskContext;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Runs the interceptors of a node around the handler. */
final class AttemptChain {
  private final List<AttemptInterceptor> interceptors;

  AttemptChain(List<AttemptInterceptor> interceptors) {
    this.interceptors = List.copyOf(interceptors);
  }

  @Nullable Object run(TaskContext context, Object payload, Callable<@Nullable Object> handler)
      throws Exception {
    return run(0, context, payload, handler);
  }

  private @Nullable Object run(
      int position, TaskContext context, Object payload, Callable<@Nullable Object> handler)
      throws Exception {
    if (position == interceptors.size()) {
      return handler.call();
    }
    return interceptors
        .get(position)
        .intercept(
            new AttemptInterceptor.Attempt() {
              @Override
              public TaskContext context() {
                return context;
              }

              @Override
              public Object payload() {
                return payload;
              }

              @Override
              public @Nullable Object proceed() throws Exception {
                return run(position + 1, context, payload, handler);
              }
            });
  }
}
