package dev.holdfast.bench.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Copies;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures what runs that wait for timers cost plain jobs. */
final class WaitingRuns {
  private static final Workflow<NoopJobs.Payload, Void> SLEEP =
      Workflow.define(
          "bench::sleep", NoopJobs.Payload.class, flow -> flow.sleep("sleep", Duration.ofDays(30)));

  /** How many threads may differ by chance: those of connections and timers come and go. */
  private static final int CHANCE = 5;

  private final Bench bench;

  WaitingRuns(Bench bench) {
    this.bench = bench;
  }

  /**
   * One round.
   *
   * @param threads how many threads the process had while the node had nothing left to do
   */
  private record Turn(double rate, int threads) {}

  void measure() throws Exception {
    int jobs = bench.jobs(100_000, 2_000);
    try (BenchDatabase alone = bench.server().fresh();
        BenchDatabase beside = bench.server().fresh()) {
      fill(beside);
      Rounds<Turn> rounds =
          bench
              .<Turn>rounds("workflows.waiting")
              .side("alone", () -> drain(alone, jobs))
              .side("beside", () -> drain(beside, jobs))
              .run();
      Report report = bench.report();
      report.add(Measure.of("workflows.alone", rounds.median("alone", Turn::rate), "jobs/s"));
      report.add(
          Measure.of("workflows.beside_waiting", rounds.median("beside", Turn::rate), "jobs/s"));
      report.add(
          Measure.of(
                  "workflows.waiting_ratio",
                  rounds.ratio("beside", "alone", Turn::rate),
                  Measure.RATIO)
              .should(Bar.atLeast(0.90)));
      report.add(
          Measure.of(
                  "workflows.waiting_threads",
                  rounds.median("beside", Turn::threads) - rounds.median("alone", Turn::threads),
                  "threads")
              .should(Bar.atMost(CHANCE)));
    }
  }

  private Turn drain(BenchDatabase database, int jobs) throws SQLException {
    double rate = database.drainMore(jobs);
    try (HoldfastNode node = NoopFlows.node(database.store(), new AtomicInteger()).start()) {
      // A job that comes after the start, so that all roles of the node have had their first turn.
      var job = node.client().enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES);
      node.client().await(job, NoopFlows.PATIENCE);
      int threads = ManagementFactory.getThreadMXBean().getThreadCount() + node.held();
      return new Turn(rate, threads);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a job ran", stop);
    }
  }

  private void fill(BenchDatabase database) throws SQLException {
    int runs = bench.quick() ? 1_000 : 100_000;
    bench.say("workflows.waiting", "inserting %d runs that wait for timers".formatted(runs));
    try (Holdfast client = HoldfastClient.on(database.store())) {
      client.runs().start(SLEEP, NoopJobs.Payload.OF_50_BYTES);
    }
    Copies copies = new Copies(bench.server(), database.schema());
    copies.make("run", "true", 1, runs);
    copies.make("run_timer", "run_id", "true", 1, runs);
    copies.make("run_event", "run_id", "seq = 1", 1, runs);
  }
}
