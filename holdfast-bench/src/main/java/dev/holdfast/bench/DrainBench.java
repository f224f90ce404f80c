package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import picocli.CommandLine.Command;

/** Measures how fast one process drains a backlog. */
@Command(
    name = "drain",
    description = "Run 100k no-op jobs in one process, and compare with bare SQL.")
public final class DrainBench extends BenchCommand {

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(100_000, 2_000);
    try (BenchDatabase database = bench.server().fresh();
        RawJobs raw = new RawJobs(bench.server())) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("drain")
              .side("holdfast", () -> database.drain(jobs))
              .side("raw", () -> raw.rate(jobs))
              .run();
      Report report = bench.report();
      report.add(Measure.of("drain.rate", rounds.median("holdfast", r -> r), "jobs/s"));
      report.add(Measure.of("drain.raw", rounds.median("raw", r -> r), "jobs/s"));
      report.add(
          Measure.of("drain.ratio", rounds.ratio("holdfast", "raw", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.50)));
    }
  }
}
