package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how fast dead nodes are detected, and that no live node is declared dead. */
@Command(
    name = "failover",
    description = {
      "Kill nodes and time the takeover of 10 and of 200 jobs; time the sweep that recovers 10k"
          + " jobs; count the rows that a heartbeat writes; saturate all cores and count the nodes"
          + " that were falsely declared dead.",
      "Takes about 15 minutes."
    })
public final class FailoverBench extends BenchCommand {

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "How long to saturate all cores, in minutes. Defaults to 10, or 0.25 with --quick.")
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
