package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import picocli.CommandLine.Command;

/** Measures how much the speed of a node depends on its number of slots. */
@Command(
    name = "slots",
    description =
        "Run 200k no-op jobs in a new process, with default settings and with 16 slots, and compare"
            + " with 1,000 slots; and with default settings but without prefetching.")
public final class SlotsBench extends BenchCommand {
  private static final int ROUNDS = 5;
  private static final String MANY = Integer.toString(NoopJobs.CONCURRENCY);
  private static final String DEFAULT = "0";
  private static final String FEW = "16";

  // Prefetching must never make a node slower; less cannot be told from noise.
  private static final double NOT_SLOWER = 0.97;

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(200_000, 2_000);
    try (BenchDatabase database = bench.server().fresh()) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("slots", ROUNDS)
              .side("many", () -> drain(bench.server(), database, jobs, MANY))
              .side("default", () -> drain(bench.server(), database, jobs, DEFAULT))
              .side("few", () -> drain(bench.server(), database, jobs, FEW))
              .side(
                  "none", () -> drain(bench.server(), database, jobs, DrainChild.WITHOUT_PREFETCH))
              .withoutWarmUp()
              .run();
      Report report = bench.report();
      report.add(Measure.of("slots.many", rounds.median("many", r -> r), "jobs/s"));
      report.add(Measure.of("slots.default", rounds.median("default", r -> r), "jobs/s"));
      report.add(Measure.of("slots.few", rounds.median("few", r -> r), "jobs/s"));
      report.add(
          Measure.of("slots.default_ratio", rounds.ratio("default", "many", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.75)));
      report.add(
          Measure.of("slots.few_ratio", rounds.ratio("few", "many", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.40)));
      report.add(Measure.of("slots.no_prefetch", rounds.median("none", r -> r), "jobs/s"));
      report.add(
          Measure.of("slots.prefetch_ratio", rounds.ratio("default", "none", r -> r), Measure.RATIO)
              .should(Bar.atLeast(NOT_SLOWER)));
    }
  }

  /**
   * Drains jobs in a new process, and returns the jobs per second, without the start of its JVM.
   *
   * @param order the command for {@link DrainChild}
   */
  private static double drain(BenchServer server, BenchDatabase database, int jobs, String order)
      throws Exception {
    database.clear();
    NoopJobs.enqueue(database.store(), jobs);
    server.settle();
    try (Child child = Child.start(server, database.schema(), "drain-child")) {
      child.await(Child.READY);
      long started = Micros.now();
      child.tell(order);
      long[] ranAndWhen = child.await(Child.DONE);
      database.requireDone(jobs, 0);
      return jobs / ((ranAndWhen[1] - started) / 1e6);
    }
  }
}
