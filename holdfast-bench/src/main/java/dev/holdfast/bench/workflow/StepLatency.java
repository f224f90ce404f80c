package dev.holdfast.bench.workflow;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.node.HoldfastNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures how soon a step follows another on a node that has nothing else to do. */
final class StepLatency {
  private static final int LONG_CHAIN = 40;

  /** What the engine may add to two commits for a step, in milliseconds. */
  private static final double OVERHEAD = 3;

  private static final TaskType<NoopJobs.Payload, Void> TIMED =
      TaskType.of("bench::timed", NoopJobs.Payload.class);
  private static final Workflow<NoopJobs.Payload, Void> PAIR =
      NoopFlows.chain("bench::pair", 2, TIMED);

  private final Bench bench;
  private final int samples;
  private final BlockingQueue<Long> entered = new LinkedBlockingQueue<>();

  /** When the handler of the last attempt returned. */
  private volatile long left;

  StepLatency(Bench bench) {
    this.bench = bench;
    this.samples = bench.quick() ? 10 : 100;
  }

  void measure() throws Exception {
    try (BenchDatabase database = bench.server().fresh()) {
      try (HoldfastNode node =
          NoopFlows.node(database.store(), new AtomicInteger())
              .handle(
                  TIMED,
                  (payload, context) -> {
                    entered.add(System.nanoTime());
                    left = System.nanoTime();
                    return null;
                  })
              .start()) {
        followUps(node);
        chains(node);
      }
      inOneSlot(database);
    }
  }

  private void followUps(HoldfastNode node) throws Exception {
    Rounds<Double> rounds =
        bench
            .<Double>rounds("workflows.latency")
            .side("step", () -> median(() -> follow(node)))
            .side("job", () -> median(() -> pickUp(node)))
            .run();
    Report report = bench.report();
    report.add(Measure.of("workflows.step_p50", rounds.median("step", r -> r), "ms"));
    report.add(Measure.of("workflows.pickup_p50", rounds.median("job", r -> r), "ms"));
    report.add(
        Measure.of("workflows.step_ratio", rounds.ratio("step", "job", r -> r), Measure.RATIO)
            .should(Bar.atMost(2)));
  }

  /** Returns the milliseconds from the end of a step to the start of the next one. */
  private double follow(HoldfastNode node) throws InterruptedException {
    var run = node.client().runs().start(PAIR, NoopJobs.Payload.OF_50_BYTES);
    long unused = next();
    long ended = left;
    long started = next();
    node.client().runs().await(run, NoopFlows.PATIENCE);
    return (started - ended) / 1e6;
  }

  /** Returns the milliseconds from just before the enqueue of a job to its start. */
  private double pickUp(HoldfastNode node) throws InterruptedException {
    long sent = System.nanoTime();
    var job = node.client().enqueue(TIMED, NoopJobs.Payload.OF_50_BYTES);
    long started = next();
    node.client().await(job, NoopFlows.PATIENCE);
    return (started - sent) / 1e6;
  }

  private long next() throws InterruptedException {
    Long time = entered.poll(NoopFlows.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (time == null) {
      throw new BenchException("A step or job was not started in time.");
    }
    return time;
  }

  private void chains(HoldfastNode node) throws Exception {
    Rounds<Double> rounds = bench.rounds("workflows.chains");
    for (int steps : List.of(1, 3, 9)) {
      Workflow<NoopJobs.Payload, Void> chain = NoopFlows.chain(steps);
      rounds.side("chain_" + steps, () -> median(() -> run(node, chain)));
    }
    rounds.run();
    Report report = bench.report();
    for (int steps : List.of(1, 3, 9)) {
      report.add(
          Measure.of(
              "workflows.chain_%d_p50".formatted(steps),
              rounds.median("chain_" + steps, r -> r),
              "ms"));
    }
    report.add(
        Measure.of(
                "workflows.chain_9_ratio",
                rounds.ratio("chain_9", "chain_3", r -> r),
                Measure.RATIO)
            .should(Bar.atMost(3)));
  }

  /** Returns how many milliseconds a run takes. */
  private static double run(HoldfastNode node, Workflow<NoopJobs.Payload, Void> workflow)
      throws InterruptedException {
    long sent = System.nanoTime();
    var run = node.client().runs().start(workflow, NoopJobs.Payload.OF_50_BYTES);
    node.client().runs().await(run, NoopFlows.PATIENCE);
    return (System.nanoTime() - sent) / 1e6;
  }

  private void inOneSlot(BenchDatabase database) throws Exception {
    Workflow<NoopJobs.Payload, Void> chain = NoopFlows.chain(LONG_CHAIN);
    try (HoldfastNode node =
        NoopFlows.node(database.store(), new AtomicInteger()).maxConcurrent(1).start()) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workflows.in_a_row")
              .side("run", () -> run(node, chain))
              .side("commit", this::commit)
              .run();
      double time = rounds.median("run", r -> r);
      double commit = rounds.median("commit", r -> r);
      Report report = bench.report();
      report.add(Measure.of("workflows.in_a_row", time, "ms"));
      report.add(Measure.of("workflows.bare_commit", commit, "ms"));
      report.add(
          Measure.of(
                  "workflows.in_a_row_ratio",
                  time / (LONG_CHAIN * (2 * commit + OVERHEAD)),
                  Measure.RATIO)
              .should(Bar.atMost(1)));
    }
  }

  /** Returns how many milliseconds the commit of a row takes. */
  private double commit() throws Exception {
    try (Connection connection = bench.server().connect()) {
      execute(connection, "create table if not exists bench_commit (id int)");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into bench_commit values (1)")) {
        return median(() -> {
          long sent = System.nanoTime();
          insert.executeUpdate();
          return (System.nanoTime() - sent) / 1e6;
        });
      } finally {
        execute(connection, "drop table bench_commit");
      }
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private double median(Callable<Double> once) throws Exception {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      millis.add(once.call());
    }
    return Quantiles.median(millis);
  }
}
