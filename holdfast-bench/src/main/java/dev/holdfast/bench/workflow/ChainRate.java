package dev.holdfast.bench.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures how fast a node runs chains of steps that are waiting, compared with plain jobs. */
final class ChainRate {
  private static final int STEPS = 5;

  private final Bench bench;

  ChainRate(Bench bench) {
    this.bench = bench;
  }

  void measure() throws Exception {
    int runs = bench.jobs(2_000, 100);
    try (BenchDatabase database = bench.server().fresh()) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workflows.chain")
              .side("steps", () -> steps(database, runs))
              .side("jobs", () -> jobs(database, runs * STEPS))
              .run();
      Report report = bench.report();
      report.add(Measure.of("workflows.chain_steps", rounds.median("steps", r -> r), "steps/s"));
      report.add(Measure.of("workflows.chain_jobs", rounds.median("jobs", r -> r), "jobs/s"));
      report.add(
          Measure.of("workflows.chain_ratio", rounds.ratio("steps", "jobs", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.40)));
    }
  }

  private double steps(BenchDatabase database, int runs) throws SQLException {
    database.clear();
    try (Holdfast client = HoldfastClient.on(database.store())) {
      NoopFlows.start(client, NoopFlows.chain(STEPS), runs);
    }
    bench.server().settle();
    AtomicInteger ran = new AtomicInteger();
    long started = System.nanoTime();
    try (HoldfastNode node = NoopFlows.node(database.store(), ran).start()) {
      NoopFlows.awaitEnd(bench.server(), database.schema(), node, ran, runs * STEPS);
      double rate = NoopJobs.rate(runs * STEPS, Duration.ofNanos(System.nanoTime() - started));
      database.requireDone((long) runs * STEPS, 0);
      return rate;
    }
  }

  private double jobs(BenchDatabase database, int jobs) throws SQLException {
    database.clear();
    NoopJobs.enqueue(database.store(), jobs);
    bench.server().settle();
    AtomicInteger ran = new AtomicInteger();
    long started = System.nanoTime();
    try (HoldfastNode node = NoopFlows.node(database.store(), ran).start()) {
      NoopJobs.await(node, ran, jobs);
      double rate = NoopJobs.rate(jobs, Duration.ofNanos(System.nanoTime() - started));
      database.requireDone(jobs, 0);
      return rate;
    }
  }
}
