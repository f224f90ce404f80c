package dev.holdfast.bench.http;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Copies;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Permission;
import dev.holdfast.server.http.Route;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures how long lists and counts take in a tenant that has grown, and how much of history they
 * read.
 */
final class ListTimes {
  /** Filters of lists and counts of jobs. The copies were created from 12:26 to 13:50 on a day. */
  private static final List<String> JOBS =
      List.of(
          "",
          "?state=READY",
          "?state=SCHEDULED",
          "?state=RUNNING",
          "?state=SUCCEEDED",
          "?state=FAILED",
          "?state=CANCELLED",
          "?state=READY,SUCCEEDED",
          "?task=bench::noop",
          "?task=bench::failing",
          "?task=no::such",
          "?queue=default",
          "?queue=none",
          "?queue=none&state=READY",
          "?queue=default&state=FAILED",
          "?queue=default&task=no::such",
          "?tag=none",
          "?tag=common",
          "?createdAfter=2025-01-01T00:00:00Z",
          "?createdAfter=2020-09-13T13:00:00Z",
          "?createdBefore=2020-09-13T12:30:00Z",
          "?createdBefore=2020-09-13T12:00:00Z",
          "?createdAfter=2020-09-13T12:30:00Z&createdBefore=2020-09-13T12:31:00Z",
          "?createdAfter=2020-09-13T12:30:00Z&task=no::such");

  private static final List<String> RUNS =
      List.of(
          "",
          "?state=RUNNING",
          "?state=SUCCEEDED",
          "?state=FAILED",
          "?workflow=bench::flow",
          "?workflow=no::such",
          "?tag=none",
          "?createdAfter=2025-01-01T00:00:00Z",
          "?createdBefore=2020-09-13T12:30:00Z");

  private static final List<String> AUDIT = List.of("", "?action=queue.pause", "?outcome=none");

  /** Lists of which a page far from the beginning is read as well. */
  private static final List<String> DEEP = List.of("/jobs", "/runs", "/audit");

  private static final int PAGES = 20;

  /** What a page or a bounded count may read of history, on average. */
  private static final double MOST_READ = 5_000;

  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");
  private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

  // Index entries and rows that were read in the tables that grow with time.
  private static final String READ =
      """
      select coalesce(sum(seq_tup_read), 0) + (
        select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where %1$s)
      from pg_stat_user_tables where %1$s
      """;

  private static final String SCANS =
      "select coalesce(sum(seq_scan), 0) from pg_stat_user_tables where %s";

  /** Sessions report their statistics to the server when they have been idle for 10 seconds. */
  private static final long UNTIL_STATISTICS_MILLIS = 12_000;

  private final Bench bench;
  private final HoldfastServer server;
  private final String key;
  private final String admin;

  /**
   * @param key the key of the tenant
   * @param admin the key of the installation
   */
  ListTimes(Bench bench, HoldfastServer server, String key, String admin) {
    this.bench = bench;
    this.server = server;
    this.key = key;
    this.admin = admin;
  }

  void measure(String schema) throws Exception {
    fill(schema);
    String history =
        "(schemaname = '%s' and (relname like 'job_history%%' or relname = 'run_history')"
            + " or schemaname = 'holdfast_control' and relname = 'audit')";
    String tables = history.formatted(schema);
    long read = bench.server().number(READ.formatted(tables));
    long scans = bench.server().number(SCANS.formatted(tables));
    int times = bench.quick() ? 20 : 60;
    Map<String, Double> slow = new TreeMap<>();
    try (HttpConnection connection = new HttpConnection(server.url())) {
      for (Map.Entry<String, String> path : paths(connection).entrySet()) {
        byte[] get = HttpConnection.request("GET", path.getKey(), path.getValue(), "");
        List<Double> millis = new ArrayList<>();
        connection.send(get);
        for (int i = 0; i < times; i++) {
          long asked = System.nanoTime();
          connection.send(get);
          millis.add((System.nanoTime() - asked) / 1e6);
        }
        slow.put(path.getKey(), Quantiles.of(millis, 0.95));
      }
    }
    var slowest = slow.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    slow.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .limit(10)
        .forEach(entry ->
            bench.say(
                "http",
                String.format(Locale.ROOT, "p95 %.1f ms: %s", entry.getValue(), entry.getKey())));
    bench
        .report()
        .add(Measure.of("http.slowest_list_p95", slowest.getValue(), "ms").should(Bar.atMost(100)));
    bench.report().note("The slowest of %d lists: %s".formatted(slow.size(), slowest.getKey()));
    Thread.sleep(UNTIL_STATISTICS_MILLIS);
    double requests = (double) slow.size() * (times + 1);
    double each = (bench.server().number(READ.formatted(tables)) - read) / requests;
    bench
        .report()
        .add(Measure.of("http.history_read_per_list", each, "rows").should(Bar.atMost(MOST_READ)));
    bench
        .report()
        .add(
            Measure.of(
                    "http.history_scans",
                    (double) (bench.server().number(SCANS.formatted(tables)) - scans),
                    "scans")
                .should(Bar.atMost(0)));
  }

  private void fill(String schema) throws Exception {
    long scale = bench.quick() ? 100 : 1;
    Copies copies = new Copies(bench.server(), schema);
    fill(copies, "job", "tags is null", 1, 900_000 / scale);
    fill(copies, "job", "tags is not null", 1 + 900_000 / scale, 100_000 / scale);
    fill(copies, "job_history", "tags is null and run_id is null", 1, 4_500_000 / scale);
    fill(copies, "job_history", "tags is not null", 1 + 4_500_000 / scale, 500_000 / scale);
    fill(copies, "dead_letter", "true", 1, 200_000 / scale);
    fill(copies, "run_history", "true", 1, 500_000 / scale);
    bench.say("http", "inserting %d entries into the audit log".formatted(500_000 / scale));
    bench
        .server()
        .execute(
            """
            insert into holdfast_control.audit (tenant, key, address, action, target, outcome)
            select case when n %% 2 = 0 then 'default' end, 'bench', '127.0.0.1', 'job.cancel',
                   n::text, 'ok'
            from generate_series(1, %d) n
            """
                .formatted(500_000 / scale));
    // Not together with the insert, which is a transaction.
    bench.server().execute("vacuum (analyze) holdfast_control.audit");
  }

  private void fill(Copies copies, String table, String where, long first, long rows)
      throws SQLException {
    bench.say("http", "inserting %d rows into %s".formatted(rows, table));
    copies.make(table, where, first, rows);
  }

  /**
   * Every list and count, with the filters that it has, and the key to read it with; also those of
   * one run, workflow or queue.
   */
  private Map<String, String> paths(HttpConnection connection) throws IOException {
    Map<String, String> paths = new TreeMap<>();
    Map<String, String> one =
        Map.of("{run}", run(connection), "{workflow}", HttpBench.FLOW.name(), "{queue}", "default");
    for (Route route : server.routes()) {
      String path = route.path().replace("{tenant}", "default");
      boolean ofOne = path.contains("{");
      for (Map.Entry<String, String> each : one.entrySet()) {
        path = path.replace(each.getKey(), each.getValue());
      }
      boolean listed =
          route.method() == Method.GET
              && path.startsWith("/v1/")
              && !path.contains("{")
              && !path.endsWith("/stream")
              && !path.endsWith("/export");
      if (!listed) {
        continue;
      }
      String with = route.permission() == Permission.ADMIN ? admin : key;
      if (ofOne) {
        paths.put(path, with);
        continue;
      }
      for (String filter : filters(path)) {
        paths.put(path + filter, with);
      }
      if (DEEP.stream().anyMatch(route.path()::endsWith)) {
        paths.put(path + "?cursor=" + deep(connection, path, with), with);
      }
    }
    return paths;
  }

  /** Returns the id of a run. */
  private String run(HttpConnection connection) throws IOException {
    Matcher id =
        ID.matcher(
            connection.send(
                HttpConnection.request("GET", HttpBench.TENANT + "/runs?limit=1", key, "")));
    if (!id.find()) {
      throw new BenchException("There is no run to read.");
    }
    return id.group(1);
  }

  private static List<String> filters(String path) {
    if (path.startsWith(HttpBench.TENANT + "/jobs")) {
      return JOBS;
    }
    if (path.startsWith(HttpBench.TENANT + "/runs")) {
      return RUNS;
    }
    if (path.endsWith("/audit")) {
      return AUDIT;
    }
    return List.of(path.endsWith("/leases") ? "?tenant=default" : "");
  }

  /** Returns the cursor of a page far from the beginning. */
  private static String deep(HttpConnection connection, String path, String key)
      throws IOException {
    String cursor = "";
    for (int page = 0; page < PAGES; page++) {
      String query = "?limit=500" + (cursor.isEmpty() ? "" : "&cursor=" + cursor);
      Matcher next =
          NEXT.matcher(connection.send(HttpConnection.request("GET", path + query, key, "")));
      if (!next.find()) {
        break;
      }
      cursor = next.group(1);
    }
    if (cursor.isEmpty()) {
      throw new BenchException("List %s has only one page.".formatted(path));
    }
    return cursor;
  }
}
