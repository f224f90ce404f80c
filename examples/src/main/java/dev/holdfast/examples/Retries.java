package dev.holdfast.examples;

import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Retries failed attempts, gives up on a failure code, and postpones without using an attempt. */
public final class Retries {
  record Charge(String card) {}

  static final TaskType<Charge, String> CHARGE =
      TaskType.of("billing::charge", Charge.class, String.class)
          .with(job ->
              job.retry(
                  RetryPolicy.exponential(Duration.ofMillis(50))
                      .maxAttempts(5)
                      .neverOn("CARD_DECLINED")));

  public static void main(String[] args) throws Exception {
    AtomicBoolean bankIsOpen = new AtomicBoolean();
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(CHARGE, (charge, context) -> charge(charge, context, bankIsOpen))
                .start()) {
      for (String card : new String[] {"flaky", "stolen"}) {
        try {
          var job = node.client().enqueue(CHARGE, new Charge(card));
          System.out.println(node.client().await(job, Duration.ofSeconds(30)));
        } catch (JobFailedException failed) {
          var last = failed.job().lastFailure().orElseThrow();
          System.out.printf("%s: %s in attempt %d%n", card, last.code(), last.attempt());
        }
      }
    }
  }

  private static String charge(Charge charge, TaskContext context, AtomicBoolean bankIsOpen) {
    if (!bankIsOpen.getAndSet(true)) {
      System.out.println("The bank is closed in attempt " + context.attempt());
      throw new RetryLater(Duration.ofMillis(100), "the bank is closed"); // Uses no attempt.
    }
    if (charge.card().equals("stolen")) {
      throw new TaskFailure("CARD_DECLINED", "the card is stolen"); // The policy never retries it.
    }
    if (context.attempt() < 3) {
      throw new IllegalStateException("connection reset"); // Retried with a growing wait.
    }
    return "%s: charged in attempt %d".formatted(charge.card(), context.attempt());
  }
}
