package dev.holdfast.bench.http;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Copies;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Permission;
import dev.holdfast.server.http.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures how long lists and counts take in a tenant that has grown. */
final class ListTimes {
  /** Filters of lists and counts of jobs and runs. */
  private static final List<String> JOBS =
      List.of(
          "",
          "?state=READY",
          "?state=SUCCEEDED",
          "?state=FAILED",
          "?state=READY,SUCCEEDED",
          "?task=bench::noop",
          "?task=bench::failing",
          "?task=no::such",
          "?queue=default",
          "?queue=none",
          "?queue=default&state=FAILED",
          "?tag=none",
          "?createdAfter=2025-01-01T00:00:00Z",
          "?createdBefore=2021-01-01T00:00:00Z");

  private static final List<String> RUNS = List.of("", "?state=RUNNING", "?state=SUCCEEDED");

  private final Bench bench;
  private final HoldfastServer server;
  private final String key;

  ListTimes(Bench bench, HoldfastServer server, String key) {
    this.bench = bench;
    this.server = server;
    this.key = key;
  }

  void measure(String schema) throws Exception {
    long scale = bench.quick() ? 100 : 1;
    Copies copies = new Copies(bench.server(), schema);
    fill(copies, "job", 1_000_000 / scale);
    fill(copies, "job_history", 5_000_000 / scale);
    fill(copies, "dead_letter", 200_000 / scale);
    int times = bench.quick() ? 20 : 60;
    Map<String, Double> slow = new TreeMap<>();
    try (HttpConnection connection = new HttpConnection(server.url())) {
      for (String path : paths()) {
        byte[] get = HttpConnection.request("GET", path, key, "");
        List<Double> millis = new ArrayList<>();
        connection.send(get);
        for (int i = 0; i < times; i++) {
          long asked = System.nanoTime();
          connection.send(get);
          millis.add((System.nanoTime() - asked) / 1e6);
        }
        slow.put(path, Quantiles.of(millis, 0.95));
      }
    }
    var slowest = slow.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    slow.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .limit(5)
        .forEach(entry ->
            bench.say(
                "http",
                String.format(Locale.ROOT, "p95 %.1f ms: %s", entry.getValue(), entry.getKey())));
    bench
        .report()
        .add(
            Measure.of("http.slowest_list_p95", slowest.getValue(), "ms").should(Bar.atMost(100)));
    bench.report().note("The slowest of %d lists: %s".formatted(slow.size(), slowest.getKey()));
  }

  private void fill(Copies copies, String table, long rows) throws Exception {
    bench.say("http", "inserting %d rows into %s".formatted(rows, table));
    copies.make(table, "true", 1, rows);
  }

  /** Every list and count of a tenant, with the filters that it has. */
  private List<String> paths() {
    List<String> paths = new ArrayList<>();
    for (Route route : server.routes()) {
      String path = route.path().replace("{tenant}", "default");
      boolean listed =
          route.method() == Method.GET
              && route.isOfTenant()
              && route.permission() != Permission.ADMIN
              && !path.contains("{")
              && !path.endsWith("/stream")
              && !path.endsWith("/export");
      if (listed) {
        String name = path.substring(HttpBench.TENANT.length());
        List<String> filters =
            name.startsWith("/jobs") ? JOBS : name.startsWith("/runs") ? RUNS : List.of("");
        filters.forEach(filter -> paths.add(path + filter));
      }
    }
    return paths;
  }
}
