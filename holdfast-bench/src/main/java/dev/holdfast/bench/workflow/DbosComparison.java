package dev.holdfast.bench.workflow;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.bench.peers.DbosPeer;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * Compares with DBOS Transact: the same number of threads start workflows of five no-op steps, and
 * the time counts from the first start until all have ended.
 *
 * <p>A workflow of DBOS is a method that calls its steps. The same program here is a task with
 * durable steps, so that is what the bar applies to. The same steps as a graph, each of which is a
 * job that any node can run, are measured beside it.
 */
final class DbosComparison {
  static final int STEPS = 5;
  private static final int CALLERS = 10;

  private final Bench bench;
  private final Workflow<NoopJobs.Payload, Void> chain = NoopFlows.chain(STEPS);

  DbosComparison(Bench bench) {
    this.bench = bench;
  }

  void measure() throws Exception {
    if (LoggerFactory.getLogger("dev.dbos") instanceof Logger logger) {
      logger.setLevel(Level.ERROR);
    }
    BenchServer server = bench.server();
    String schema = BenchServer.freshSchema();
    AtomicInteger ran = new AtomicInteger();
    try (BenchDatabase database = server.fresh();
        HikariDataSource pool = PeerPool.of(server.address(), schema, DbosPeer.CONNECTIONS);
        DbosPeer dbos = DbosPeer.launch(pool, schema);
        HoldfastNode node = NoopFlows.node(database.store(), ran).start()) {
      // Several seconds a turn: in shorter ones the JVM is still compiling most of the time.
      int own = bench.jobs(8_000, 50);
      int its = bench.jobs(3_000, 50);
      Callable<Double> durableSide = () -> rate(own, runDurable(node, ran, own));
      Callable<Double> graphSide = () -> rate(own, runGraphs(database, node, ran, own));
      Callable<Double> dbosSide = () -> rate(its, runDbos(dbos, its));
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workflows.dbos")
              .side("durable", durableSide)
              .side("graph", graphSide)
              .side("dbos", dbosSide)
              .run();
      Report report = bench.report();
      report.add(Measure.of("workflows.durable", rounds.median("durable", r -> r), "workflows/s"));
      report.add(Measure.of("workflows.graph", rounds.median("graph", r -> r), "workflows/s"));
      report.add(Measure.of("workflows.dbos", rounds.median("dbos", r -> r), "workflows/s"));
      report.add(
          Measure.of("workflows.dbos_ratio", rounds.ratio("durable", "dbos", r -> r), Measure.RATIO)
              .should(Bar.atLeast(5)));
      report.add(
          Measure.of(
              "workflows.dbos_graph_ratio", rounds.ratio("graph", "dbos", r -> r), Measure.RATIO));
      server.fullPageWrites(false);
      try {
        cost("workflows.durable", own, durableSide);
        cost("workflows.graph", own, graphSide);
        cost("workflows.dbos", its, dbosSide);
      } finally {
        server.fullPageWrites(true);
      }
      report.note("%s has %d connections.".formatted(dbos.name(), DbosPeer.CONNECTIONS));
    } finally {
      server.execute("drop schema if exists %s cascade".formatted(schema));
    }
  }

  private static double rate(int workflows, Duration time) {
    return NoopJobs.rate(workflows, time);
  }

  private Duration runDbos(DbosPeer dbos, int workflows) {
    return dbos.run(workflows, STEPS, NoopJobs.Payload.OF_50_BYTES.text(), CALLERS);
  }

  private static Duration runDurable(HoldfastNode node, AtomicInteger ran, int workflows)
      throws Exception {
    ran.set(0);
    long started = System.nanoTime();
    start(workflows, () -> node.client().enqueue(NoopFlows.DURABLE, NoopJobs.Payload.OF_50_BYTES));
    NoopJobs.await(node, ran, workflows * STEPS);
    return Duration.ofNanos(System.nanoTime() - started);
  }

  private Duration runGraphs(
      BenchDatabase database, HoldfastNode node, AtomicInteger ran, int workflows)
      throws Exception {
    ran.set(0);
    long started = System.nanoTime();
    start(workflows, () -> node.client().runs().start(chain, NoopJobs.Payload.OF_50_BYTES));
    NoopFlows.awaitEnd(bench.server(), database.schema(), node, ran, workflows * STEPS);
    return Duration.ofNanos(System.nanoTime() - started);
  }

  private static void start(int workflows, Callable<?> start) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<?>> starts = new ArrayList<>();
      for (int i = 0; i < workflows; i++) {
        starts.add(threads.submit(start));
      }
      for (Future<?> each : starts) {
        each.get();
      }
    } catch (ExecutionException failure) {
      throw new BenchException("A workflow could not be started: " + failure.getCause());
    }
  }

  /** Counts what a step costs the server, without full-page images. */
  private void cost(String name, int workflows, Callable<Double> turn) throws Exception {
    BenchServer server = bench.server();
    server.settle();
    ServerCounts before = ServerCounts.of(server);
    double unused = turn.call();
    ServerCounts cost = ServerCounts.of(server).since(before);
    double steps = (double) workflows * STEPS;
    Report report = bench.report();
    report.add(Measure.of(name + ".statements", cost.statements() / steps, "per step"));
    report.add(Measure.of(name + ".commits", cost.commits() / steps, "per step"));
    report.add(Measure.of(name + ".wal", cost.wal() / steps, "bytes/step"));
  }
}
