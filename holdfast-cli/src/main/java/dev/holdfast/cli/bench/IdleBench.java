package dev.holdfast.cli.bench;

import dev.holdfast.engine.HoldfastNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a node asks of the database while there is nothing to do. */
@Command(
    name = "idle",
    description = "Count the statements of an idle node for a minute, by pg_stat_statements.")
public final class IdleBench extends BenchCommand {
  private static final int SETTLED_AFTER_SECONDS = 100;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "" + SETTLED_AFTER_SECONDS,
      description = "How long to let the node come to rest first. Defaults to 100.")
  private int settle = SETTLED_AFTER_SECONDS;

  /** What one statement has cost so far. */
  private record Cost(String query, long calls, double millis) {
    Cost since(Cost before) {
      return new Cost(query, calls - before.calls, millis - before.millis);
    }
  }

  @Override
  protected void measure(Bench bench) throws Exception {
    if (!isAvailable(bench.server())) {
      bench
          .report()
          .note(
              "idle was not measured: the database lacks pg_stat_statements; add it to"
                  + " shared_preload_libraries and run CREATE EXTENSION pg_stat_statements.");
      return;
    }
    Duration rest = Duration.ofSeconds(bench.quick() ? 2 : settle);
    Duration length = Duration.ofSeconds(bench.quick() ? 3 : 60);
    try (BenchDatabase database = bench.server().fresh();
        Connection aside = bench.server().connectAside();
        HoldfastNode node = NoopJobs.start(database.store(), new AtomicInteger())) {
      bench.say("idle", "node %s settles for %d s".formatted(node.id(), rest.toSeconds()));
      Thread.sleep(rest);
      bench.say("idle", "counting for %d s".formatted(length.toSeconds()));
      String name = databaseName(bench.server());
      Map<Long, Cost> before = costs(aside, name);
      Thread.sleep(length);
      Map<Long, Cost> after = costs(aside, name);
      report(bench, before, after);
    }
  }

  private static void report(Bench bench, Map<Long, Cost> before, Map<Long, Cost> after) {
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
            "idle",
            "%d x %.1f ms: %s"
                .formatted(
                    cost.calls(),
                    cost.millis() / cost.calls(),
                    query.substring(0, Math.min(query.length(), 100))));
      }
    }
    // Eleven, of which two are sweeps for nodes that are gone and three look for what recurs.
    bench
        .report()
        .add(Measure.of("idle.statements", (double) statements, "per min").should(Bar.atMost(20)));
    bench.report().add(Measure.of("idle.execution", millis, "ms").should(Bar.atMost(20)));
  }

  private static boolean isAvailable(BenchServer server) throws SQLException {
    if (server.isOurs()) {
      server.execute("create extension if not exists pg_stat_statements");
      try (Connection aside = server.connectAside();
          Statement statement = aside.createStatement()) {
        statement.execute("create extension if not exists pg_stat_statements");
      }
    }
    return server.number("select count(*) from pg_extension where extname = 'pg_stat_statements'")
        > 0;
  }

  private static String databaseName(BenchServer server) throws SQLException {
    try (Connection connection = server.connect()) {
      return connection.getCatalog();
    }
  }

  /** All statements of the database, by everybody, but for those of this bench. */
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
