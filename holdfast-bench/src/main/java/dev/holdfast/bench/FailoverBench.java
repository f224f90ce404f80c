package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What it takes to notice that a node is gone, and to notice nothing where none is. */
@Command(
    name = "failover",
    description = {
      "Kill nodes and time the takeover, of a few jobs and of 200; time the sweep that takes back"
          + " 10k jobs; count what a heartbeat writes; saturate all cores and count nodes that were"
          + " thought dead.",
      "Takes about a quarter of an hour."
    })
public final class FailoverBench extends BenchCommand {

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long all cores are saturated. Defaults to 10, or a quarter with --quick.")
  private @Nullable Double minutes;

  @Override
  public void measure(Bench bench) throws Exception {
    new KillTimes(bench).measure(bench.quick() ? 5 : 20);
    new MassFailover(bench).measure();
    new SweepTime(bench).measure(bench.jobs(10_000, 1_000));
    new HeartbeatCost(bench).measure(10);
    new HeartbeatCost(bench).measure(bench.jobs(10_000, 1_000));
    double length = minutes != null ? minutes : bench.quick() ? 0.25 : 10;
    new FalseAlarms(bench).measure(Duration.ofMillis((long) (length * 60_000)));
  }
}
