package dev.holdfast.bench;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the load that an idle node puts on the database. */
@Command(
    name = "idle",
    description = {
      "Count the statements of an idle node for two minutes, with pg_stat_statements.",
      "First for a node that only waits for jobs; then for one that also declares three schedules"
          + " and a circuit breaker, serves a queue with a limit and holds a lease."
    })
public final class IdleBench extends BenchCommand {
  private static final int SETTLED_AFTER_SECONDS = 100;
  private static final Duration LEASE = Duration.ofMinutes(1);

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "" + SETTLED_AFTER_SECONDS,
      description = "How long to wait before counting, in seconds. Defaults to 100.")
  private int settle = SETTLED_AFTER_SECONDS;

  /** A kind of node: the prefix of its measures, and the load it may cause in a minute. */
  private enum Kind {
    PLAIN("idle", 10, 20),
    EVERYTHING("idle.everything", 20, 40);

    final String label;
    final int statements;
    final int millis;

    Kind(String label, int statements, int millis) {
      this.label = label;
      this.statements = statements;
      this.millis = millis;
    }

    void report(Report report, double calls, double time) {
      report.add(
          Measure.of(label + ".statements", calls, "per min").should(Bar.atMost(statements)));
      report.add(Measure.of(label + ".execution", time, "ms per min").should(Bar.atMost(millis)));
    }
  }

  /** The total cost of one statement so far. */
  private record Cost(String query, long calls, double millis) {
    Cost since(Cost before) {
      return new Cost(query, calls - before.calls, millis - before.millis);
    }
  }

  @Override
  public void measure(Bench bench) throws Exception {
    boolean available = bench.server().countsStatements();
    for (Kind kind : Kind.values()) {
      if (available) {
        measure(bench, kind);
      } else {
        kind.report(bench.report(), Double.NaN, Double.NaN);
      }
    }
    if (!available) {
      bench
          .report()
          .note(
              "idle was not measured, because the database has no pg_stat_statements: add it to"
                  + " shared_preload_libraries and run CREATE EXTENSION pg_stat_statements.");
    }
  }

  private void measure(Bench bench, Kind kind) throws Exception {
    Duration rest = Duration.ofSeconds(bench.quick() ? 2 : settle);
    // Some periodic work happens less than once a minute.
    Duration length = bench.quick() ? Duration.ofSeconds(3) : Duration.ofMinutes(2);
    try (BenchDatabase database = bench.server().fresh();
        Connection aside = bench.server().connectAside();
        HoldfastNode node = start(kind, database.store())) {
      bench.say(
          kind.label,
          "waiting %2$d s for node %1$s to settle".formatted(node.id(), rest.toSeconds()));
      Thread.sleep(rest);
      bench.say(kind.label, "counting for %d s".formatted(length.toSeconds()));
      String name = databaseName(bench.server());
      Map<Long, Cost> before = costs(aside, name);
      Thread.sleep(length);
      Map<Long, Cost> after = costs(aside, name);
      report(bench, kind, length, before, after);
    }
  }

  private static HoldfastNode start(Kind kind, Store store) {
    return switch (kind) {
      case PLAIN -> NoopJobs.start(store, new AtomicInteger());
      case EVERYTHING -> startEverything(store);
    };
  }

  private static HoldfastNode startEverything(Store store) {
    NodeBuilder builder =
        HoldfastNode.on(store)
            .application("bench")
            .meters(new CompositeMeterRegistry())
            .breaker("**", CircuitBreaker.after(5))
            .handle(NoopJobs.TASK, (payload, context) -> null);
    for (int i = 0; i < 3; i++) {
      builder.recurring(
          Schedule.named("idle-" + i)
              .runs(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES)
              .every(Duration.ofDays(365))
              .build());
    }
    HoldfastNode node = builder.start();
    node.client().queues().limit(NoopJobs.QUEUE, NoopJobs.CONCURRENCY);
    // Held until the node is closed.
    node.leases().acquire("idle", LEASE).orElseThrow();
    return node;
  }

  private static void report(
      Bench bench, Kind kind, Duration length, Map<Long, Cost> before, Map<Long, Cost> after) {
    long statements = 0;
    double millis = 0;
    for (var entry : after.entrySet()) {
      Cost nothing = new Cost("", 0, 0);
      Cost cost = entry.getValue().since(before.getOrDefault(entry.getKey(), nothing));
      if (cost.calls() > 0) {
        statements += cost.calls();
        millis += cost.millis();
        String query = cost.query().replaceAll("\\s+", " ");
        bench.say(
            kind.label,
            "%d x %.1f ms: %s"
                .formatted(
                    cost.calls(),
                    cost.millis() / cost.calls(),
                    query.substring(0, Math.min(query.length(), 100))));
      }
    }
    double minutes = length.toMillis() / 60_000.0;
    kind.report(bench.report(), statements / minutes, millis / minutes);
  }

  private static String databaseName(BenchServer server) throws SQLException {
    try (Connection connection = server.connect()) {
      return connection.getCatalog();
    }
  }

  /** Returns the cost of all statements of the database, except those of this benchmark. */
  private static Map<Long, Cost> costs(Connection aside, String database) throws SQLException {
    try (PreparedStatement query =
        aside.prepareStatement(
            """
            select queryid, query, sum(calls), sum(total_exec_time)
            from pg_stat_statements s join pg_database d on d.oid = s.dbid
            where d.datname = ? and s.query not like '%pg_stat_statements%'
            group by queryid, query
            """)) {
      query.setString(1, database);
      Map<Long, Cost> costs = new HashMap<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          costs.put(row.getLong(1), new Cost(row.getString(2), row.getLong(3), row.getDouble(4)));
        }
      }
      return costs;
    }
  }
}
