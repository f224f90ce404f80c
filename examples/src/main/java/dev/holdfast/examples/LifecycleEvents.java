package dev.holdfast.examples;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Listens to what happens to the jobs of a node. */
public final class LifecycleEvents {
  record Mail(String to) {}

  static final TaskType<Mail, Void> SEND =
      TaskType.of("mail::send", Mail.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2)));

  public static void main(String[] args) throws Exception {
    CountDownLatch finished = new CountDownLatch(1);
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(
                    SEND,
                    (mail, context) -> {
                      if (!context.isLastAttempt()) {
                        throw new IllegalStateException("connection reset");
                      }
                    })
                .listener(event -> {
                  switch (event) {
                    case LifecycleEvent.Started it ->
                        System.out.println("Started attempt " + it.attempt());
                    case LifecycleEvent.Retried it ->
                        System.out.println("To be retried: " + it.task());
                    case LifecycleEvent.Finished it -> {
                      System.out.println("Finished: " + it.state());
                      finished.countDown();
                    }
                    default -> {}
                  }
                })
                .start()) {
      node.client().enqueue(SEND, new Mail("ada@example.org"));
      finished.await();
    }
  }
}
