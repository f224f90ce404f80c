package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Copies;
import dev.holdfast.bench.harness.HeldTransaction;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.client.HoldfastClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures whether Holdfast stays fast when the database has grown. */
@Command(
    name = "growth",
    description = {
      "Drain jobs in a database that has grown, and compare with empty tables.",
      "With 5 million rows of history; with 1 million ready jobs of tasks that the node does not"
          + " handle; for 10 minutes while another session holds a transaction open; the same with"
          + " a limit for the queue. The last two are one long sample each, independent of"
          + " --rounds."
    })
public final class GrowthBench extends BenchCommand {
  private static final int FOREIGN_TASKS = 10;

  /** In which way the database has grown. */
  enum Kind {
    HISTORY,
    FOREIGN,
    HELD,
    LIMITED
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "KIND",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Kind> only = EnumSet.allOf(Kind.class);

  @Option(
      names = "--hold",
      paramLabel = "MINUTES",
      description = "How long to hold the transaction open, in minutes. Defaults to 10.")
  private int hold = 10;

  @Override
  public void measure(Bench bench) throws Exception {
    if (only.contains(Kind.HISTORY) || only.contains(Kind.FOREIGN)) {
      besideRows(bench);
    }
    for (Kind kind : EnumSet.range(Kind.HELD, Kind.LIMITED)) {
      if (!only.contains(kind)) {
        continue;
      }
      Duration length = bench.quick() ? Duration.ofSeconds(2) : Duration.ofMinutes(hold);
      Duration window = bench.quick() ? Duration.ofMillis(500) : Duration.ofSeconds(20);
      new HeldTransaction(bench, kind == Kind.LIMITED).measure(length, window);
    }
  }

  private void besideRows(Bench bench) throws Exception {
    int jobs = bench.jobs(100_000, 2_000);
    BenchServer server = bench.server();
    try (BenchDatabase empty = server.fresh();
        BenchDatabase history = server.fresh();
        BenchDatabase foreign = server.fresh()) {
      Rounds<Double> rounds = bench.<Double>rounds("growth");
      rounds.side("empty", () -> empty.drain(jobs));
      if (only.contains(Kind.HISTORY)) {
        fillHistory(bench, history);
        rounds.side("history", () -> history.drainMore(jobs));
      }
      if (only.contains(Kind.FOREIGN)) {
        fillForeign(bench, foreign);
        rounds.side("foreign", () -> foreign.drainMore(jobs));
      }
      rounds.run();
      bench.report().add(Measure.of("growth.empty", rounds.median("empty", r -> r), "jobs/s"));
      for (Kind kind : EnumSet.range(Kind.HISTORY, Kind.FOREIGN)) {
        if (only.contains(kind)) {
          report(bench.report(), rounds, kind == Kind.HISTORY ? "history" : "foreign");
        }
      }
    }
  }

  private static void report(Report report, Rounds<Double> rounds, String side) {
    report.add(Measure.of("growth." + side, rounds.median(side, r -> r), "jobs/s"));
    report.add(
        Measure.of(
                "growth.%s_ratio".formatted(side),
                rounds.ratio(side, "empty", r -> r),
                Measure.RATIO)
            .should(Bar.atLeast(0.90)));
  }

  private static void fillHistory(Bench bench, BenchDatabase database) throws SQLException {
    long rows = bench.quick() ? 10_000 : 5_000_000;
    bench.say("growth", "inserting %d rows of history".formatted(rows));
    NoopJobs.enqueue(database.store(), 1);
    NoopJobs.drain(database.store(), 1);
    new Copies(bench.server(), database.schema()).make("job_history", "true", 1, rows);
  }

  private static void fillForeign(Bench bench, BenchDatabase database) throws SQLException {
    long rows = bench.quick() ? 10_000 : 1_000_000;
    bench.say("growth", "inserting %d ready jobs of tasks that no node handles".formatted(rows));
    Copies copies = new Copies(bench.server(), database.schema());
    try (Holdfast client = HoldfastClient.on(database.store())) {
      for (int i = 0; i < FOREIGN_TASKS; i++) {
        String name = "bench::foreign-" + i;
        client.enqueue(TaskType.of(name, NoopJobs.Payload.class), NoopJobs.Payload.OF_50_BYTES);
        long share = rows / FOREIGN_TASKS;
        copies.make("job", "task = '%s'".formatted(name), i * share + 1, share - 1);
      }
    }
  }
}
