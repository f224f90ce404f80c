package dev.holdfast.cli.bench;

import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast bench}: all benches of this program, and those found beside it. */
@Command(
    name = "bench",
    description = {
      "Measure Holdfast on a database.",
      "Without --database-url it measures an embedded PostgreSQL on this machine."
    },
    synopsisSubcommandLabel = "COMMAND")
public final class BenchSuite implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private BenchSuite() {}

  /** Hang the benches below a command. */
  public static void addTo(CommandLine root) {
    // From the top down: what a command hands on reaches only those that are added to it later.
    CommandLine bench = new CommandLine(new BenchSuite());
    root.addSubcommand(bench);
    benches().forEach(bench::addSubcommand);
    bench.addSubcommand(new AllBenches());
    ServiceLoader.load(BenchCommand.class).forEach(bench::addSubcommand);
    bench.addSubcommand(new DrainChild());
    bench.addSubcommand(new ProducerChild());
    bench.addSubcommand(new HoldingChild());
    bench.addSubcommand(new BusyChild());
  }

  /** The benches of this program, in the order people read them. */
  static List<BenchCommand> benches() {
    return List.of(
        new DrainBench(),
        new RawBench(),
        new ContentionBench(),
        new EnqueueBench(),
        new LatencyBench(),
        new WalBench(),
        new GrowthBench(),
        new IdleBench(),
        new MemoryBench(),
        new FailoverBench());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which bench is missing.");
  }
}
