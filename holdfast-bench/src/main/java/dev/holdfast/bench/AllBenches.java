package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import picocli.CommandLine.Command;

/** Runs the benchmarks one after the other. */
@Command(
    name = "all",
    description =
        "Run all benchmarks except 'peers', 'chaos' and 'ha'. Takes about an hour without --quick.")
public final class AllBenches extends BenchCommand {

  @Override
  public void measure(Bench bench) throws Exception {
    for (BenchCommand part : BenchSuite.benches()) {
      part.measure(bench);
    }
  }
}
