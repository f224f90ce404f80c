package dev.holdfast.examples;

import dev.holdfast.api.EnqueueInterceptor;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Passes the tenant of the code that enqueues to the handler, without a field in each payload. */
public final class Interceptors {
  private static final String PREFIX = "tenant:";

  record Invoice(int number) {}

  static final TaskType<Invoice, Void> PRINT = TaskType.of("invoices::print", Invoice.class);

  static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "none");

  static final EnqueueInterceptor TAG_TENANT =
      enqueue -> enqueue.proceed(enqueue.requests().stream().map(Interceptors::tagged).toList());

  static final AttemptInterceptor RESTORE_TENANT =
      attempt -> {
        attempt.context().tags().stream()
            .filter(tag -> tag.startsWith(PREFIX))
            .forEach(tag -> TENANT.set(tag.substring(PREFIX.length())));
        try {
          return attempt.proceed();
        } finally {
          TENANT.remove();
        }
      };

  static final AttemptInterceptor ANNOUNCE =
      attempt -> {
        System.out.println("Before " + attempt.payload() + " of " + TENANT.get());
        Object result = attempt.proceed();
        System.out.println("After " + attempt.payload());
        return result;
      };

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .interceptEnqueues(TAG_TENANT)
                .interceptAttempts(RESTORE_TENANT) // The first one is the outermost.
                .interceptAttempts(ANNOUNCE)
                .handle(PRINT, (it, context) -> System.out.println("Tenant: " + TENANT.get()))
                .start()) {
      TENANT.set("acme");
      var job = node.client().enqueue(PRINT, new Invoice(42));
      node.client().await(job, Duration.ofSeconds(30));
    }
  }

  private static JobRequest<?, ?> tagged(JobRequest<?, ?> request) {
    Set<String> tags = new HashSet<>(request.options().tags());
    tags.add(PREFIX + TENANT.get());
    return request.with(job -> job.tags(tags));
  }
}
