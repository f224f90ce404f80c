package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.cli.Main;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The benchmarks run and report measures. Speed is not checked: it depends on the machine. */
class BenchCommandTest {
  private final TestDatabase database = SharedServer.freshDatabase();

  /** The exit code and output of a command. */
  private record Cli(int exit, String out, String err) {}

  private Cli run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> line = new ArrayList<>(List.of(args));
    line.add("--database-url=" + database.jdbcUrl());
    line.add("--user=" + database.user());
    line.add("--password=" + database.password());
    int exit =
        Main.run(
            new PrintWriter(out, true), new PrintWriter(err, true), line.toArray(String[]::new));
    return new Cli(exit, out.toString(), err.toString());
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void drainPrintsAnArrayOfMeasures() {
    Cli drain = run("bench", "drain", "--quick", "--json");

    assertThat(drain.exit()).as(drain.err()).isZero();
    List<Map<String, Object>> measures = measures(drain);
    assertThat(measures)
        .extracting(measure -> measure.get("name"))
        .containsExactly("drain.rate", "drain.raw", "drain.ratio");
    assertThat(measures)
        .allSatisfy(measure -> {
          assertThat(measure).containsOnlyKeys("name", "value", "unit", "bar", "ok");
          assertThat((Double) measure.get("value")).isPositive();
        });
    assertThat(measures.get(2)).containsEntry("bar", ">= 0.50");
  }

  @Test
  void theDatabaseOfAUserIsNotChanged() throws Exception {
    Cli raw = run("bench", "memory", "--quick", "--jobs", "100");

    assertThat(raw.exit()).as(raw.err()).isZero();
    assertThat(schemas()).containsOnly("public");
  }

  @Test
  void twoProcessesShareTheJobs() {
    Cli contention = run("bench", "contention", "--quick", "--jobs", "500");

    assertThat(contention.exit()).as(contention.err()).isZero();
    assertThat(contention.out())
        .contains("contention.one", "contention.two", ">= 0.95")
        .contains("contention.fresh_ratio", ">= 0.90", "contention.share");
  }

  @ParameterizedTest
  @CsvSource({
    "enqueue, enqueue.ratio enqueue.threads_ratio enqueue.threads_bare_ratio",
    "latency, latency.p50_ratio latency.p99_ratio latency.same_p50_ratio latency.same_p99_ratio",
    "slots, slots.default_ratio slots.few_ratio slots.prefetch_ratio",
    "wal, wal.per_job wal.prefetch_ratio wal.row_versions",
    "raw, raw.rate"
  })
  void benchesRunQuickly(String bench, String measures) {
    Cli quick = run("bench", bench, "--quick", "--jobs", "500", "--json");

    assertThat(quick.exit()).as(quick.err()).isZero();
    assertMeasured(quick, measures.split(" "));
  }

  @Test
  void growthReportsEachKindOfGrowth() {
    Cli growth = run("bench", "growth", "--quick", "--jobs", "200", "--json");

    assertThat(growth.exit()).as(growth.err()).isZero();
    assertMeasured(
        growth,
        "growth.empty",
        "growth.history",
        "growth.history_ratio",
        "growth.foreign",
        "growth.foreign_ratio",
        "growth.held_first",
        "growth.held_last",
        "growth.held_ratio",
        "growth.held_silence",
        "growth.held_limited_ratio");
  }

  @Test
  void failoverReportsKillsSweepsHeartbeatsAndFalseAlarms() {
    Cli failover =
        run("bench", "failover", "--quick", "--jobs", "50", "--minutes", "0.02", "--json");

    assertThat(failover.exit()).as(failover.err()).isZero();
    assertMeasured(
        failover,
        "failover.median",
        "failover.p95",
        "failover.sweep",
        "failover.false_alarms_default",
        "failover.false_alarms_fast");
  }

  @Test
  void packagesReportsPickupsAPushAndTheMemoryOfVersions() {
    Cli packages = run("bench", "packages", "--quick", "--jobs", "3", "--json");

    assertThat(packages.exit()).as(packages.err()).isZero();
    assertMeasured(
        packages,
        "packages.pickup_server_ms",
        "packages.pickup_child_ms",
        "packages.pickup_extra_ms",
        "packages.push_s",
        "packages.push_to_run_s",
        "packages.versions_child_heap",
        "packages.versions_child_metaspace",
        "packages.versions_server_heap",
        "packages.versions_server_metaspace",
        "packages.versions_trusted_heap",
        "packages.versions_trusted_metaspace");
    assertThat(measures(packages))
        .filteredOn(measure -> String.valueOf(measure.get("name")).endsWith("_loaded"))
        .extracting(measure -> measure.get("name"), measure -> measure.get("value"))
        .containsExactly(
            tuple("packages.versions_child_loaded", 1.0),
            tuple("packages.versions_trusted_loaded", 1.0));
  }

  @Test
  void aCheckOfAMeasureWithoutABarPasses() {
    Cli check = run("bench", "raw", "--jobs", "200", "--check");

    assertThat(check.exit()).as(check.err()).isZero();
  }

  @Test
  void aCheckOfABarWithoutAMeasureFails() {
    Cli idle = run("bench", "idle", "--check", "--json");

    assertThat(idle.exit()).as(idle.err()).isEqualTo(1);
    assertThat(measures(idle))
        .hasSize(4)
        .allSatisfy(
            measure -> assertThat(measure).containsEntry("value", null).containsEntry("ok", false));
    assertThat(idle.err())
        .contains("CREATE EXTENSION pg_stat_statements")
        .contains("idle.statements was not measured and should be <= 10.");
  }

  @Test
  void tooFewRoundsAreNotChecked() {
    Cli quick = run("bench", "drain", "--quick", "--check");
    Cli few = run("bench", "drain", "--rounds", "3", "--check");

    assertThat(quick.exit()).isEqualTo(2);
    assertThat(quick.err()).contains("--quick measures too little for --check");
    assertThat(few.exit()).isEqualTo(2);
    assertThat(few.err()).contains("3 rounds are too few for --check: use at least 5");
  }

  private static void assertMeasured(Cli bench, String... names) {
    assertThat(measures(bench))
        .filteredOn(measure -> measure.get("value") != null)
        .extracting(measure -> measure.get("name"))
        .contains((Object[]) names);
  }

  private static List<Map<String, Object>> measures(Cli bench) {
    return new JsonMapper().readValue(bench.out(), new TypeReference<>() {});
  }

  private List<String> schemas() throws Exception {
    List<String> names = new ArrayList<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select nspname from pg_namespace where nspname !~ '^(pg_|information_schema)'")) {
      while (row.next()) {
        names.add(row.getString(1));
      }
    }
    return names;
  }
}
