package dev.holdfast.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final String JOB = "{\"task\":\"test::echo\",\"queue\":\"%s\"}";

  private static void enqueue(ApiClient client, String tenant, String queue, int jobs) {
    for (int i = 0; i < jobs; i++) {
      client.post("/v1/tenants/%s/jobs".formatted(tenant), JOB.formatted(queue)).expect(201);
    }
  }

  private static int backlog(ApiClient client, String path) {
    return client.get(path).expect(200).json().path("backlog").asInt(-1);
  }

  /** Without a node that runs jobs, as after a scale to zero. */
  @Test
  void theBacklogIsThatOfTheNamedQueuesInActiveTenants() {
    try (TestServer server = new TestServer(Map.of("mode", "api,scheduler"))) {
      ApiClient tenant = server.tenant();
      ApiClient other = server.newTenant("acme");
      ApiClient nobody = tenant.with("");
      enqueue(tenant, "default", "default", 3);
      enqueue(tenant, "default", "mail", 2);
      enqueue(tenant, "default", "halted", 4);
      enqueue(other, "acme", "default", 5);
      tenant.post("/v1/tenants/default/queues/halted/pause").expect(200);

      assertThat(backlog(nobody, "/backlog?queue=default,mail,halted")).isEqualTo(10);
      assertThat(backlog(nobody, "/backlog?queue=mail")).isEqualTo(2);
      assertThat(backlog(nobody, "/backlog?queue=none")).isZero();
      assertThat(backlog(tenant, "/v1/tenants/default/queues/default/backlog")).isEqualTo(3);
      assertThat(backlog(other, "/v1/tenants/acme/queues/default/backlog")).isEqualTo(5);
      other.get("/v1/tenants/default/queues/default/backlog").expect(401);
      nobody.get("/backlog").expect(400);
      nobody.get("/backlog?queue=A%20b").expect(400);

      server.admin().post("/v1/tenants/acme/suspend").expect(200);
      await()
          .atMost(Duration.ofSeconds(40))
          .untilAsserted(() -> assertThat(backlog(nobody, "/backlog?queue=default")).isEqualTo(3));
    }
  }

  @Test
  void questionsCountNoJobs() throws SQLException {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      ApiClient tenant = server.tenant();
      enqueue(tenant, "default", "default", 3);
      assertThat(backlog(tenant, "/backlog?queue=default")).isEqualTo(3);
      String measured = measuredAt(server);
      enqueue(tenant, "default", "default", 1);
      for (int i = 0; i < 50; i++) {
        backlog(tenant, "/backlog?queue=default");
        backlog(tenant, "/v1/tenants/default/queues/default/backlog");
      }
      // Fifty questions take much less time than a sample lasts.
      assertThat(measuredAt(server)).isEqualTo(measured);
      await()
          .atMost(Duration.ofSeconds(40))
          .untilAsserted(() -> assertThat(backlog(tenant, "/backlog?queue=default")).isEqualTo(4));
      assertThat(measuredAt(server)).isNotEqualTo(measured);
    }
  }

  private static String measuredAt(TestServer server) throws SQLException {
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement();
        ResultSet schemas =
            statement.executeQuery(
                "select table_schema from information_schema.tables where table_name = 'sample'")) {
      assertThat(schemas.next()).isTrue();
      String schema = schemas.getString(1);
      try (Statement reading = connection.createStatement();
          ResultSet row =
              reading.executeQuery("select taken_at::text from %s.sample".formatted(schema))) {
        assertThat(row.next()).isTrue();
        return row.getString(1);
      }
    }
  }
}
