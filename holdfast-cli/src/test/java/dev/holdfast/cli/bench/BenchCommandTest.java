package dev.holdfast.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** That benches run and say something; how fast they are depends on the machine. */
class BenchCommandTest {
  private final TestDatabase database = SharedServer.freshDatabase();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void drainPrintsAnArrayOfMeasures() {
    Cli drain = Cli.on(database, "bench", "drain", "--quick", "--json");

    assertThat(drain.exit()).as(drain.err()).isZero();
    List<Map<String, Object>> measures =
        new JsonMapper().readValue(drain.out(), new TypeReference<>() {});
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
  void aUsersDatabaseIsLeftAsItWas() throws Exception {
    Cli raw = Cli.on(database, "bench", "memory", "--quick", "--jobs", "100");

    assertThat(raw.exit()).as(raw.err()).isZero();
    assertThat(schemas()).containsOnly("public");
  }

  @Test
  void twoProcessesShareTheWork() {
    Cli contention = Cli.on(database, "bench", "contention", "--quick", "--jobs", "500");

    assertThat(contention.exit()).as(contention.err()).isZero();
    assertThat(contention.out()).contains("contention.one", "contention.two", ">= 0.95");
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
