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
 */
final class DbosComparison {
  private static final int STEPS = 5;
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
      int own = bench.jobs(2_000, 50);
      int its = bench.jobs(1_000, 50);
      Callable<Double> holdfastSide = () -> rate(own, run(database, node, ran, own));
      Callable<Double> dbosSide = () -> rate(its, runDbos(dbos, its));
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workflows.dbos")
              .side("holdfast", holdfastSide)
              .side("dbos", dbosSide)
              .run();
      Report report = bench.report();
      report.add(Measure.of("workflows.runs", rounds.median("holdfast", r -> r), "workflows/s"));
      report.add(Measure.of("workflows.dbos_runs", rounds.median("dbos", r -> r), "workflows/s"));
      report.add(
          Measure.of(
                  "workflows.dbos_ratio", rounds.ratio("holdfast", "dbos", r -> r), Measure.RATIO)
              .should(Bar.atLeast(5)));
      server.fullPageWrites(false);
      try {
        cost("workflows", own, holdfastSide);
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

  private Duration run(BenchDatabase database, HoldfastNode node, AtomicInteger ran, int workflows)
      throws Exception {
    ran.set(0);
    long started = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<?>> starts = new ArrayList<>();
      for (int i = 0; i < workflows; i++) {
        starts.add(
            threads.submit(() -> node.client().runs().start(chain, NoopJobs.Payload.OF_50_BYTES)));
      }
      for (Future<?> start : starts) {
        start.get();
      }
    } catch (ExecutionException failure) {
      throw new BenchException("A run could not be started: " + failure.getCause());
    }
    NoopFlows.awaitEnd(bench.server(), database.schema(), node, ran, workflows * STEPS);
    return Duration.ofNanos(System.nanoTime() - started);
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
