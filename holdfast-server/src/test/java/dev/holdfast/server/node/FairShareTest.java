package dev.holdfast.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A tenant with a huge backlog takes turns with the others. */
class FairShareTest {
  private static final int BACKLOG = 200_000;
  private static final int SLOTS = 8;
  private static final int SINGLE_JOBS = 10;

  @Test
  void aHugeBacklogOfOneTenantDoesNotDelayTheSingleJobsOfAnother() throws Exception {
    try (TestServer server =
        new TestServer(
            Map.of(
                "concurrency", String.valueOf(SLOTS),
                "queues", "default=100",
                "database.poolSize", "8"))) {
      ApiClient big = server.newTenant("big");
      ApiClient small = server.newTenant("small");
      String schema = "holdfast_t" + number(server, tenantId("big"));
      insert(server, schema);
      big.post("/v1/tenants/big/jobs", "{\"task\":\"test::echo\"}").expect(201);
      String ended = "select count(*) from " + schema + ".job_history";
      await().atMost(Duration.ofSeconds(60)).until(() -> number(server, ended) > 10 * SLOTS);

      for (int i = 0; i < SINGLE_JOBS; i++) {
        long before = number(server, ended);
        String path = "/v1/tenants/small/jobs";
        String job = small.post(path, "{\"task\":\"test::echo\"}").expect(201).text("id");
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(() ->
                assertThat(small.get(path + "/" + job).text("state")).isEqualTo("SUCCEEDED"));
        assertThat(number(server, ended) - before)
            .as("jobs of the other tenant that ended before the single job %d", i)
            .isLessThan(BACKLOG / 20);
      }
      assertThat(number(server, "select count(*) from " + schema + ".job"))
          .as("the backlog outlives the single jobs")
          .isGreaterThan(BACKLOG / 4);
    }
  }

  private static String tenantId(String name) {
    return "select id from holdfast_control.tenant where name = '%s'".formatted(name);
  }

  private static void insert(TestServer server, String schema) throws SQLException {
    try (var connection = server.database().connect();
        var statement = connection.createStatement()) {
      statement.execute("set synchronous_commit = off");
      assertThat(
              statement.executeUpdate(
                  """
                  insert into %s.job
                    (id, created_at, run_at, rank, priority, state, queue, task, payload)
                  select gen_random_uuid(), now(), now(), now() + n * interval '1 microsecond', 4,
                    'READY', 'default', 'test::echo', '1'
                  from generate_series(1, %d) n
                  """
                      .formatted(schema, BACKLOG)))
          .isEqualTo(BACKLOG);
      statement.execute("analyze %s.job".formatted(schema));
    }
  }

  private static long number(TestServer server, String sql) throws SQLException {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
