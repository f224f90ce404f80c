package dev.holdfast.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetentionTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final String JOBS = "/v1/tenants/default/jobs";

  /** A server that works in a tenant tidies it half a minute after it has entered it. */
  @Test
  void aChangeAppliesToATenantInWhichAServerWorks() throws Exception {
    try (TestServer server = new TestServer(Map.of("tenantIdle", "PT10M"))) {
      ApiClient tenant = server.tenant();
      String job = tenant.post(JOBS, "{\"task\":\"test::fail\"}").expect(201).text("id");
      await().atMost(SOON).until(() -> tenant.get(JOBS + "/" + job).text("state").equals("FAILED"));
      try (var connection = server.database().connect();
          var statement = connection.createStatement()) {
        assertThat(
                statement.executeUpdate(
                    "update holdfast_t1.dead_letter set finished_at = now() - interval '2 days'"))
            .isEqualTo(1);
      }
      assertThat(server.server().activeTenants()).isEqualTo(1);
      server
          .admin()
          .send("PATCH", "/v1/tenants/default/settings", "{\"keepDeadLetters\":\"P1D\"}")
          .expect(200);

      await().atMost(SOON).until(() -> tenant.get(JOBS + "/" + job).status() == 404);
    }
  }
}
