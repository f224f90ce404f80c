package dev.holdfast.examples;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;

/** Prevents duplicate jobs: one active job per key, or one job per key within a time window. */
public final class UniqueJobs {
  record Report(String text) {}

  static final TaskType<Report, Void> REPORT = TaskType.of("reports::send", Report.class);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        Holdfast holdfast = HoldfastClient.on(database.store())) {
      UniqueKey active = UniqueKey.whileActive("acme");
      Enqueued<Void> first = enqueue(holdfast, "draft", active);
      enqueue(holdfast, "draft again", active);
      enqueue(holdfast, "final", active.onConflict(OnConflict.REPLACE));
      try {
        enqueue(holdfast, "too late", active.onConflict(OnConflict.FAIL));
      } catch (DuplicateJobException duplicate) {
        System.out.println("too late: rejected");
      }
      UniqueKey daily = UniqueKey.within("acme-2026-01-31", Duration.ofDays(1));
      Enqueued<Void> today = enqueue(holdfast, "today", daily);

      try (var node =
          HoldfastNode.on(database.store())
              .handle(REPORT, (report, context) -> System.out.println("Sending " + report.text()))
              .start()) {
        holdfast.await(first, Duration.ofSeconds(30));
        holdfast.await(today, Duration.ofSeconds(30));
      }
      enqueue(holdfast, "after the end", active); // The key is free again.
      enqueue(holdfast, "twice a day", daily); // This key is taken until the day is over.
    }
  }

  private static Enqueued<Void> enqueue(Holdfast holdfast, String text, UniqueKey key) {
    Enqueued<Void> job = holdfast.enqueue(REPORT, new Report(text), options -> options.unique(key));
    System.out.println(text + ": " + job.outcome());
    return job;
  }
}
