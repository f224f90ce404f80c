package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.engine.node.HoldfastNode;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;

/** Measures whether the heap of a node grows with the number of jobs it has run. */
@Command(
    name = "memory",
    description = "Run a million jobs in one node and compare its heap at several points.")
public final class MemoryBench extends BenchCommand {
  private static final double MEGABYTE = 1 << 20;

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(1_000_000, 10_000);
    AtomicInteger ran = new AtomicInteger();
    try (BenchDatabase database = bench.server().fresh();
        HoldfastNode node = NoopJobs.start(database.store(), ran)) {
      double first = heapAfter(bench, database, node, ran, jobs / 10);
      double middle = heapAfter(bench, database, node, ran, jobs / 2);
      double last = heapAfter(bench, database, node, ran, jobs);
      Report report = bench.report();
      report.add(Measure.of("memory.tenth", first, "MB"));
      report.add(Measure.of("memory.half", middle, "MB"));
      report.add(Measure.of("memory.all", last, "MB"));
      report.add(
          Measure.of("memory.growth", Math.max(0, last - first), "MB").should(Bar.atMost(5)));
    }
  }

  /** Returns the heap in use when the given number of jobs is done and none is held. */
  private static double heapAfter(
      Bench bench, BenchDatabase database, HoldfastNode node, AtomicInteger ran, int jobs) {
    bench.say("memory", "up to %d jobs".formatted(jobs));
    while (ran.get() < jobs) {
      int most = Math.min(NoopJobs.CHUNK, jobs - ran.get());
      int target = ran.get() + most;
      NoopJobs.enqueue(database.store(), most);
      NoopJobs.await(node, ran, target);
    }
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
  }
}
