package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Quantiles;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Measures the upper bound: what the database allows without Holdfast. */
@Command(
    name = "raw",
    description =
        "Claim and finish 100k jobs in bare SQL: the upper bound that the database allows.")
public final class RawBench extends BenchCommand {

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(100_000, 2_000);
    List<Double> rates = new ArrayList<>();
    try (RawJobs raw = new RawJobs(bench.server())) {
      bench.say("raw", "warm-up");
      raw.rate(jobs);
      for (int round = 1; round <= bench.roundCount(); round++) {
        bench.say("raw", "round %d of %d".formatted(round, bench.roundCount()));
        rates.add(raw.rate(jobs));
      }
    }
    bench.report().add(Measure.of("raw.rate", Quantiles.median(rates), "jobs/s"));
  }
}
