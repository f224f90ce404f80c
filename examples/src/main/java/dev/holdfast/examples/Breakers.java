package dev.holdfast.examples;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stops a task while the service that it calls is down, instead of failing every job. */
public final class Breakers {
  record Text(String to) {}

  static final TaskType<Text, Void> SEND =
      TaskType.of("sms::send", Text.class).with(job -> job.retry(RetryPolicy.NEVER));

  public static void main(String[] args) throws Exception {
    AtomicBoolean serviceIsUp = new AtomicBoolean();
    CountDownLatch opened = new CountDownLatch(1);
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .breaker("sms::*", CircuitBreaker.after(2).openFor(Duration.ofHours(1)))
                .listener(event -> {
                  if (event instanceof LifecycleEvent.BreakerOpened) {
                    opened.countDown();
                  }
                })
                .handle(
                    SEND,
                    (text, context) -> {
                      if (!serviceIsUp.get()) {
                        throw new IllegalStateException("503 Service Unavailable");
                      }
                      System.out.println("Sent to " + text.to());
                    })
                .start()) {
      node.client().enqueueAll(SEND, List.of(new Text("Ada"), new Text("Bob")));
      opened.await();
      Enqueued<Void> waiting = node.client().enqueue(SEND, new Text("Eve"));
      System.out.println(node.client().whyWaiting(waiting.id()).orElseThrow().describe());

      serviceIsUp.set(true);
      node.client().tasks().closeBreaker("sms::send"); // Or after an hour, by a trial job.
      node.client().await(waiting, Duration.ofSeconds(30));
    }
  }
}
