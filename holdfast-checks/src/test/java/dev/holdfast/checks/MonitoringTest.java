package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every metric and label in the dashboard and the alerts exists at a server that has worked. */
class MonitoringTest {
  private static final Pattern SERIES = Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:holdfast|jvm|process|system)_\\w+|up)\\b(?:\\{([^}]*)})?");
  private static final Pattern SELECTED = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"");
  private static final Pattern GROUPED = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
  private static final Pattern SHOWN = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

  /** What Prometheus adds to every series. */
  private static final Set<String> OF_TARGET = Set.of("job", "instance");

  private static TestDatabase database;
  private static HoldfastServer server;

  /** A query, and what is written next to its result. */
  private record Query(String where, String expression, String shown) {}

  @BeforeAll
  static void start() {
    database = SharedServer.freshDatabase();
    server =
        HoldfastServer.startDemo(
            Configuration.read(
                    null,
                    Map.of(),
                    Map.of(
                        "port", "0",
                        "drain", "PT1S",
                        "database.url", database.jdbcUrl(),
                        "database.user", database.user(),
                        "database.password", database.password()))
                .server(),
            Duration.ofMillis(50));
  }

  @AfterAll
  static void stop() {
    server.stopNow();
    server.close();
    database.close();
  }

  private static Map<String, Set<String>> exported() throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString());
    Map<String, Set<String>> found = new HashMap<>(Map.of("up", Set.of()));
    response
        .body()
        .lines()
        .map(SERIES::matcher)
        .filter(Matcher::matches)
        .forEach(series -> {
          Set<String> labels = found.computeIfAbsent(series.group(1), any -> new TreeSet<>());
          if (series.group(2) != null) {
            LABEL.matcher(series.group(2)).results().forEach(label -> labels.add(label.group(1)));
          }
        });
    return found;
  }

  private static List<Query> dashboard() throws IOException {
    List<Query> queries = new ArrayList<>();
    JsonNode dashboard =
        new JsonMapper()
            .readTree(
                Files.readString(
                    Checkout.root().resolve("deploy/monitoring/grafana-dashboard.json")));
    for (JsonNode panel : dashboard.path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        queries.add(
            new Query(
                panel.path("title").asString(),
                target.path("expr").asString(),
                target.path("legendFormat").asString()));
      }
    }
    return queries;
  }

  private static List<Query> alerts() throws IOException {
    List<Query> queries = new ArrayList<>();
    JsonNode rules =
        Yaml.parse(
            Files.readString(Checkout.root().resolve("deploy/monitoring/prometheus-rules.yaml")));
    for (JsonNode rule : rules.at("/groups/0/rules")) {
      assertThat(rule.at("/labels/severity").asString()).isIn("critical", "warning");
      assertThat(rule.at("/annotations/description").asString()).isNotEmpty();
      queries.add(
          new Query(
              rule.path("alert").asString(),
              rule.path("expr").asString(),
              rule.at("/annotations/summary").asString()));
    }
    return queries;
  }

  private static List<String> mistakes(List<Query> queries, Map<String, Set<String>> exported) {
    List<String> mistakes = new ArrayList<>();
    for (Query query : queries) {
      Set<String> labels = new TreeSet<>(OF_TARGET);
      Matcher metric = METRIC.matcher(query.expression());
      int metrics = 0;
      while (metric.find()) {
        metrics++;
        Set<String> own = exported.get(metric.group(1));
        if (own == null) {
          mistakes.add("%s: no metric %s".formatted(query.where(), metric.group(1)));
          continue;
        }
        labels.addAll(own);
        if (metric.group(2) != null) {
          SELECTED
              .matcher(metric.group(2))
              .results()
              .map(selected -> selected.group(1))
              .filter(label -> !own.contains(label) && !OF_TARGET.contains(label))
              .forEach(label ->
                  mistakes.add(
                      "%s: %s has no label %s".formatted(query.where(), metric.group(1), label)));
        }
      }
      if (metrics == 0) {
        mistakes.add("%s: no metric at all".formatted(query.where()));
      }
      Set<String> used = new TreeSet<>();
      GROUPED
          .matcher(query.expression())
          .results()
          .forEach(group -> used.addAll(List.of(group.group(1).split(",\\s*"))));
      SHOWN.matcher(query.shown()).results().forEach(label -> used.add(label.group(1)));
      used.removeAll(labels);
      used.forEach(label -> mistakes.add("%s: no label %s".formatted(query.where(), label)));
    }
    return mistakes;
  }

  @Test
  void theDashboardShowsMetricsThatExist() throws Exception {
    List<Query> queries = dashboard();
    assertThat(queries).hasSizeGreaterThan(20);
    assertNoMistakes(queries);
  }

  @Test
  void theAlertsWatchMetricsThatExist() throws Exception {
    List<Query> queries = alerts();
    assertThat(queries).hasSizeGreaterThan(8);
    assertNoMistakes(queries);
  }

  /** Some metrics exist from the first job, failure or collection on. */
  private static void assertNoMistakes(List<Query> queries) {
    System.gc();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(mistakes(queries, exported())).isEmpty());
  }
}
