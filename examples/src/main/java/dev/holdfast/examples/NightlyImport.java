package dev.holdfast.examples;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.List;

/** Imports all files of a folder every night, a few at a time. One bad file does no harm. */
public final class NightlyImport {
  static final TaskType<String, List<String>> FIND =
      TaskType.of("import::find", TypeRef.of(String.class), new TypeRef<List<String>>() {});
  static final TaskType<String, Integer> LOAD =
      TaskType.of("import::load", String.class, Integer.class)
          .with(job -> job.retry(RetryPolicy.DEFAULT.neverOn("BAD_FILE")));
  static final TaskType<List<Integer>, String> SUM =
      TaskType.of("import::sum", new TypeRef<List<Integer>>() {}, TypeRef.of(String.class));

  static final Workflow<String, String> IMPORT =
      Workflow.defineWithResult(
          "import::nightly",
          String.class,
          flow -> {
            var files = flow.step("find", FIND, flow.input());
            var rows = flow.map("load", LOAD, files).concurrency(2).tolerateFailures(1);
            return flow.step("sum", SUM, rows);
          });

  static final Schedule EVERY_NIGHT =
      Schedule.named("nightly-import")
          .runs(IMPORT.starter(), "orders")
          .cron("0 2 * * *", "Europe/Berlin")
          .build();

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .workflow(IMPORT)
                .handle(FIND, (folder, context) -> List.of("a.csv", "b.csv", "c.csv", "bad.csv"))
                .handle(LOAD, (file, context) -> load(file))
                .handle(SUM, (rows, context) -> "Rows of each file: " + rows)
                .start()) {
      var holdfast = node.client();
      holdfast.schedules().put(EVERY_NIGHT);
      if (holdfast.schedules().fire("nightly-import") instanceof FireResult.Fired fired) {
        String run = holdfast.await(fired.job(), String.class, Duration.ofSeconds(30));
        RunId id = RunId.parse(String.valueOf(run)); // The job has started the run.
        System.out.println(holdfast.runs().await(id, IMPORT.resultType(), Duration.ofSeconds(30)));
      }
    }
  }

  static int load(String file) {
    if (file.startsWith("bad")) {
      throw new TaskFailure("BAD_FILE", "line 3 has no amount"); // Others are retried.
    }
    return 100;
  }
}
