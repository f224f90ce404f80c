package dev.holdfast.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The demo shows work that succeeds, fails and waits. */
class DemoTest {
  private static final String T = "/v1/tenants/default";

  @Test
  void thereIsWorkThatSucceedsFailsAndWaits() {
    try (TestServer api = new TestServer(Map.of("mode", "api"));
        HoldfastServer demo =
            HoldfastServer.startDemo(api.config(Map.of("mode", "all")), Duration.ofMillis(200))) {
      assertThat(demo.firstKeys().isEmpty()).isTrue();
      ApiClient tenant = api.tenant();
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> {
            assertThat(tenant.get(T + "/jobs?state=FAILED&task=demo::deliver").json().path("jobs"))
                .isNotEmpty();
            for (String runs :
                List.of(
                    "demo::fulfil&state=SUCCEEDED",
                    "demo::fulfil&state=RUNNING",
                    "demo::newsletter&state=SUCCEEDED",
                    "demo::newsletter&state=FAILED")) {
              assertThat(tenant.get(T + "/runs?workflow=" + runs).json().path("runs"))
                  .as(runs)
                  .isNotEmpty();
            }
            tenant.get(T + "/schedules/demo-report").expect(200);
            tenant.get(T + "/schedules/demo-newsletter").expect(200);
          });
      assertThat(
              tenant
                  .get(T + "/jobs?state=FAILED&task=demo::deliver")
                  .json()
                  .at("/jobs/0/failures/0/code")
                  .asString())
          .isEqualTo("NOBODY_HOME");
    }
  }
}
