package dev.holdfast.bench.tenants;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.server.boot.HoldfastServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Measures what tenants cost without work: statements, and the memory of database sessions. */
final class IdleCost {
  private final Bench bench;

  IdleCost(Bench bench) {
    this.bench = bench;
  }

  /** What a server asks of the database in a while. */
  record Cost(double statements, double millis) {}

  /** Waits until the server works in no tenant, then counts for a minute. */
  Cost of(HoldfastServer server, String what) throws Exception {
    if (!bench.server().countsStatements()) {
      return new Cost(Double.NaN, Double.NaN);
    }
    bench.say("tenants", "waiting for a server with %s to be idle".formatted(what));
    TenantServers.await(() -> server.activeTenants() == 0);
    Thread.sleep(bench.quick() ? 1_000 : 5_000);
    Duration length = Duration.ofSeconds(bench.quick() ? 5 : 60);
    bench.say("tenants", "counting for %d s".formatted(length.toSeconds()));
    Map<String, Cost> before = costs();
    Thread.sleep(length);
    Map<String, Cost> after = costs();
    double statements = 0;
    double millis = 0;
    for (Map.Entry<String, Cost> entry : after.entrySet()) {
      Cost earlier = before.getOrDefault(entry.getKey(), new Cost(0, 0));
      double calls = entry.getValue().statements() - earlier.statements();
      double took = entry.getValue().millis() - earlier.millis();
      if (calls > 0) {
        statements += calls;
        millis += took;
        String query = entry.getKey().replaceAll("\\s+", " ");
        bench.say(
            "tenants",
            "%.0f x %.2f ms: %s"
                .formatted(calls, took / calls, query.substring(0, Math.min(90, query.length()))));
      }
    }
    return new Cost(statements, millis);
  }

  private Map<String, Cost> costs() throws SQLException {
    Map<String, Cost> costs = new HashMap<>();
    try (Connection own = bench.server().connect();
        Connection aside = bench.server().connectAside();
        PreparedStatement query =
            aside.prepareStatement(
                """
                select query, sum(calls), sum(total_exec_time)
                from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where d.datname = ? and s.query not like '%pg_stat_statements%'
                group by query
                """)) {
      query.setString(1, own.getCatalog());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          costs.put(row.getString(1), new Cost(row.getDouble(2), row.getDouble(3)));
        }
      }
    }
    return costs;
  }

  void report(Cost one, Cost all) {
    bench
        .report()
        .add(
            Measure.of(
                    "tenants.idle_statements", all.statements() / one.statements(), Measure.RATIO)
                .should(Bar.atMost(1.2)));
    bench
        .report()
        .add(
            Measure.of("tenants.idle_time", all.millis() / one.millis(), Measure.RATIO)
                .should(Bar.atMost(1.2)));
  }

  /** Reports the private memory of the largest server process of the tenants' connections. */
  void reportMemory() throws SQLException, IOException {
    bench
        .report()
        .add(
            Measure.of("tenants.backend_memory", largestBackend() / 1024.0, "MB")
                .should(Bar.atMost(64)));
  }

  private double largestBackend() throws SQLException, IOException {
    if (!bench.server().isOurs()) {
      return Double.NaN;
    }
    double largest = 0;
    try (Connection connection = bench.server().connect();
        PreparedStatement query =
            connection.prepareStatement(
                "select pid from pg_stat_activity where application_name like 'holdfast-server-%'");
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        Path status = Path.of("/proc", row.getString(1), "status");
        if (!Files.exists(status)) {
          return Double.NaN;
        }
        for (String line : Files.readAllLines(status)) {
          if (line.startsWith("RssAnon:")) {
            largest = Math.max(largest, Double.parseDouble(line.replaceAll("[^0-9]", "")));
          }
        }
      }
    }
    return largest;
  }
}
