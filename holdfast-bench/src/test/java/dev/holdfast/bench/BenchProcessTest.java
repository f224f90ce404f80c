package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Benchmarks run as commands, each in a separate process with a separate server. */
class BenchProcessTest {
  private static final long MOST_MINUTES = 4;

  @TempDir private Path folder;

  private record Run(int exit, List<Map<String, Object>> measures, String err) {
    double value(String name) {
      return measures.stream()
          .filter(measure -> measure.get("name").equals(name))
          .map(measure -> (Double) measure.get("value"))
          .findFirst()
          .orElseThrow(() -> new AssertionError(name + " is missing in " + measures + err));
    }
  }

  @Test
  void librariesInJavaAreComparedSideBySide() throws Exception {
    Run peers =
        bench(
            "peers", "--quick", "--jobs", "100", "--only", "holdfast,db-scheduler,jobrunr,quartz");

    assertThat(peers.exit).as(peers.err).isZero();
    for (String side : List.of("holdfast", "db-scheduler", "jobrunr", "quartz")) {
      for (String what : List.of("default.fresh", "default.warm", "tuned.fresh", "start")) {
        assertThat(peers.value("peers.%s.%s".formatted(side, what))).as(side + what).isPositive();
      }
    }
    for (String ratio : List.of("ratio", "db-scheduler_ratio", "start_ratio")) {
      assertThat(peers.value("peers." + ratio)).as(ratio).isPositive();
    }
  }

  /** Needs Node.js, npm, and at the first run its registry. */
  @Test
  void librariesForNodeJsAreComparedWithHoldfast() throws Exception {
    Run peers =
        bench("peers", "--quick", "--jobs", "100", "--only", "holdfast,graphile-worker,pg-boss");

    assertThat(peers.exit).as(peers.err).isZero();
    assumeThat(peers.err).doesNotContain("were not measured");
    for (String side : List.of("graphile-worker", "pg-boss")) {
      for (String what : List.of("default.fresh", "default.warm", "tuned.fresh", "start")) {
        assertThat(peers.value("peers.%s.%s".formatted(side, what))).as(side + what).isPositive();
      }
    }
    assertThat(peers.value("peers.graphile-worker_ratio")).isPositive();
  }

  @Test
  void workflowsAreComparedWithPlainJobsAndWithDbos() throws Exception {
    Run workflows = bench("workflows", "--quick", "--jobs", "50");

    assertThat(workflows.exit).as(workflows.err).isZero();
    for (String measure :
        List.of(
            "chain_ratio",
            "step_ratio",
            "chain_9_ratio",
            "in_a_row_ratio",
            "map_400",
            "map_ratio",
            "waiting_ratio",
            "dbos_ratio",
            "dbos_graph_ratio",
            "durable.statements",
            "durable.commits",
            "durable.wal",
            "graph.statements",
            "graph.commits",
            "graph.wal",
            "dbos.statements",
            "dbos.commits",
            "dbos.wal")) {
      assertThat(workflows.value("workflows." + measure)).as(measure).isPositive();
    }
    assertThat(workflows.measures).filteredOn(measure -> measure.get("bar") != null).hasSize(9);
  }

  /** Only on Linux, where all processes share one monotonic clock. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void chaosChecksTheFinalState() throws Exception {
    Run chaos = bench("chaos", "--minutes", "0.1", "--check");

    assertThat(chaos.exit).as(chaos.err).isZero();
    assertThat(chaos.value("chaos.storms")).isEqualTo(1);
    assertThat(chaos.value("chaos.jobs")).isPositive();
    assertThat(chaos.value("chaos.effects")).isPositive();
    assertThat(chaos.value("chaos.lost")).isZero();
  }

  @Test
  void chaosRefusesTheDatabaseOfAUser() throws Exception {
    Run refused =
        bench("chaos", "--database-url", "jdbc:postgresql://127.0.0.1:1/app", "--minutes", "0.1");

    assertThat(refused.exit).isEqualTo(1);
    assertThat(refused.err).contains("remove --database-url");
  }

  private Run bench(String... words) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.add("bench");
    line.addAll(List.of(words));
    line.add("--json");
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    Process process = builder.start();
    if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
      process.destroy();
      throw new AssertionError(line + " did not end: " + Files.readString(err));
    }
    String json = Files.readString(out);
    return new Run(
        process.exitValue(),
        json.isBlank() ? List.of() : new JsonMapper().readValue(json, new TypeReference<>() {}),
        Files.readString(err));
  }
}
