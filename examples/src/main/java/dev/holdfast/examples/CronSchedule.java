package dev.holdfast.examples;

import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Runs a task at recurring times: by a cron expression, and at an interval. */
public final class CronSchedule {
  record Report(String name) {}

  static final TaskType<Report, Void> REPORT = TaskType.of("reports::build", Report.class);

  public static void main(String[] args) throws Exception {
    CountDownLatch ticks = new CountDownLatch(3);
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(
                    REPORT,
                    (report, context) -> {
                      System.out.println("Building the " + report.name() + " report");
                      if (report.name().equals("live")) {
                        ticks.countDown();
                      }
                    })
                .start()) {
      Schedules schedules = node.client().schedules();
      schedules.put(
          Schedule.named("nightly-report")
              .runs(REPORT, new Report("nightly"))
              .cron("0 3 * * *", "Europe/Berlin")
              .build());
      System.out.println("Due times: " + schedules.next("nightly-report", 3));
      if (schedules.fire("nightly-report") instanceof FireResult.Fired fired) { // Not only at 3.
        node.client().await(fired.job(), Void.class, Duration.ofSeconds(30));
      }

      schedules.put(
          Schedule.named("live-report")
              .runs(REPORT, new Report("live"))
              .every(Duration.ofMillis(200))
              .build());
      ticks.await();
      System.out.println("Cancelled: " + schedules.cancel("live-report"));
    }
  }
}
