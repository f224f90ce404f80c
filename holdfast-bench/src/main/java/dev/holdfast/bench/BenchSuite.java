package dev.holdfast.bench;

import dev.holdfast.bench.chaos.ChaosBench;
import dev.holdfast.bench.ha.HaBench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.http.HttpBench;
import dev.holdfast.bench.http.WorkersBench;
import dev.holdfast.bench.packages.PackagesBench;
import dev.holdfast.bench.tenants.TenantsBench;
import dev.holdfast.bench.workflow.WorkflowsBench;
import dev.holdfast.cli.Extension;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast bench}: all benchmarks, and the hidden commands for their child processes. */
@Command(
    name = "bench",
    description = {
      "Run benchmarks on a database.",
      "Without --database-url, uses a temporary embedded PostgreSQL on this machine."
    },
    synopsisSubcommandLabel = "COMMAND")
public final class BenchSuite implements Extension, Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void addTo(CommandLine root) {
    // Parents first: only commands that are added later inherit options.
    CommandLine bench = new CommandLine(this);
    root.addSubcommand(bench);
    benches().forEach(bench::addSubcommand);
    bench.addSubcommand(new AllBenches());
    bench.addSubcommand(new TenantsBench());
    bench.addSubcommand(new HttpBench());
    bench.addSubcommand(new WorkersBench());
    bench.addSubcommand(new StreamsBench());
    bench.addSubcommand(new PackagesBench());
    bench.addSubcommand(new PeersBench());
    bench.addSubcommand(new ChaosBench());
    bench.addSubcommand(new HaBench());
    bench.addSubcommand(new UpgradeBench());
    bench.addSubcommand(new DrainChild());
    bench.addSubcommand(new ProducerChild());
    bench.addSubcommand(new PickupChild());
    bench.addSubcommand(new EnqueueChild());
    bench.addSubcommand(new SlowChild());
    bench.addSubcommand(new HoldingChild());
    bench.addSubcommand(new BusyChild());
  }

  /** Returns the benchmarks that {@code bench all} runs, in this order. */
  static List<BenchCommand> benches() {
    return List.of(
        new DrainBench(),
        new SlotsBench(),
        new RawBench(),
        new ContentionBench(),
        new EnqueueBench(),
        new LatencyBench(),
        new WalBench(),
        new GrowthBench(),
        new IdleBench(),
        new MemoryBench(),
        new WorkflowsBench(),
        new FailoverBench());
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "No benchmark is given: use one of the commands of 'bench', or 'all'.");
  }
}
