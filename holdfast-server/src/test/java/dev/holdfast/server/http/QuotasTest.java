package dev.holdfast.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tenants get no more than their quotas, and keys no more than their rate. */
class QuotasTest {
  private static final String T = "/v1/tenants/default";

  @Test
  void aJobThatStartsARunNeedsRoomForTheRun() {
    try (TestServer server = new TestServer(Map.of("mode", "api", "quotas.openRuns", "2"))) {
      ApiClient tenant = server.tenant();
      String three = "{\"jobs\":[{\"task\":\"%1$s\"},{\"task\":\"%1$s\"},{\"task\":\"%1$s\"}]}";
      tenant
          .post(T + "/jobs/bulk", three.formatted("test::approval::start-run"))
          .expect(429, "QUOTA_OPEN_RUNS");
      assertThat(tenant.get(T + "/jobs").json().path("jobs").size()).isZero();
      tenant.post(T + "/jobs/bulk", three.formatted("no::handler")).expect(201);
      tenant.post(T + "/jobs", "{\"task\":\"test::approval::start-run\"}").expect(201);
    }
  }

  @Test
  void whatExceedsAQuotaIsRefusedAndNothingIsCreated() {
    try (TestServer server =
        new TestServer(
            Map.of(
                "quotas.queuedJobs", "3",
                "quotas.openRuns", "2",
                "quotas.payloadBytes", "500",
                "quotas.schedules", "1"))) {
      ApiClient tenant = server.tenant();
      String job = "{\"task\":\"no::handler\"}";
      for (int i = 0; i < 3; i++) {
        tenant.post(T + "/jobs", job).expect(201);
      }
      assertThat(
              tenant.post(T + "/jobs", job).expect(429, "QUOTA_QUEUED_JOBS").header("Retry-After"))
          .isEqualTo("1");
      tenant
          .post(T + "/jobs/bulk", "{\"jobs\":[%s]}".formatted(job))
          .expect(429, "QUOTA_QUEUED_JOBS");
      assertThat(tenant.get(T + "/jobs").json().path("jobs").size()).isEqualTo(3);
      // Another tenant is not affected.
      server.newTenant("other").post("/v1/tenants/other/jobs", job).expect(201);
      String first = tenant.get(T + "/jobs").json().at("/jobs/0/id").asString();
      tenant.post(T + "/jobs/" + first + "/cancel").expect(200);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(tenant.post(T + "/jobs", job).status()).isEqualTo(201));

      String run = "{\"workflow\":\"test::approval\"}";
      tenant.post(T + "/runs", run).expect(201);
      tenant.post(T + "/runs", run).expect(201);
      tenant.post(T + "/runs", run).expect(429, "QUOTA_OPEN_RUNS");

      String large = "{\"task\":\"a\",\"payload\":\"%s\"}".formatted("x".repeat(500));
      tenant.post(T + "/jobs", large).expect(409, "QUOTA_PAYLOAD_BYTES");

      String schedule = "{\"task\":\"a\",\"every\":\"PT1H\"}";
      tenant.put(T + "/schedules/one", schedule).expect(201);
      tenant.put(T + "/schedules/one", "{\"task\":\"a\",\"every\":\"PT2H\"}").expect(200);
      tenant.put(T + "/schedules/two", schedule).expect(409, "QUOTA_SCHEDULES");
      tenant.delete(T + "/schedules/one").expect(204);
      tenant.put(T + "/schedules/two", schedule).expect(201);
    }
  }

  private static String bulk(int jobs) {
    return "{\"jobs\":[%s]}"
        .formatted(String.join(",", Collections.nCopies(jobs, "{\"task\":\"no::handler\"}")));
  }

  @Test
  void aBulkRequestNeedsRoomForAllItsJobs() {
    try (TestServer server = new TestServer(Map.of("mode", "api", "quotas.queuedJobs", "5"))) {
      ApiClient tenant = server.tenant();
      tenant.post(T + "/jobs/bulk", bulk(6)).expect(429, "QUOTA_QUEUED_JOBS");
      tenant.post(T + "/jobs/bulk", bulk(3)).expect(201);
      assertThat(
              tenant
                  .post(T + "/jobs/bulk", bulk(3))
                  .expect(429, "QUOTA_QUEUED_JOBS")
                  .text("detail"))
          .contains("room for 2", "adds 3");
      tenant.post(T + "/jobs/bulk", "{\"jobs\":7}").expect(400, "INVALID_REQUEST");
      assertThat(tenant.get(T + "/jobs").json().path("jobs").size()).isEqualTo(3);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> tenant.post(T + "/jobs/bulk", bulk(2)).expect(201));
      assertThat(tenant.get(T + "/jobs").json().path("jobs").size()).isEqualTo(5);
      tenant.post(T + "/jobs", "{\"task\":\"no::handler\"}").expect(429, "QUOTA_QUEUED_JOBS");
    }
  }

  /** It creates nothing, so it needs no room. */
  @Test
  void aRepeatAtTheLimitGetsTheFirstResult() {
    Map<String, String> limits =
        Map.of("quotas.queuedJobs", "1", "quotas.openRuns", "1", "requestsPerSecond", "1000");
    try (TestServer server = new TestServer(limits)) {
      ApiClient once = server.tenant().header("Idempotency-Key", "order-1");
      String job = "{\"task\":\"no::handler\"}";
      String id = once.post(T + "/jobs", job).expect(201).text("id");
      server.tenant().post(T + "/jobs", job).expect(429, "QUOTA_QUEUED_JOBS");
      Reply repeat = once.post(T + "/jobs", job).expect(201);
      assertThat(repeat.text("id")).isEqualTo(id);
      assertThat(repeat.header("Idempotent-Replay")).isEqualTo("true");
      // A refused request can be repeated with the same key when there is room.
      ApiClient later = server.tenant().header("Idempotency-Key", "order-2");
      later.post(T + "/jobs", job).expect(429, "QUOTA_QUEUED_JOBS");
      server.tenant().post(T + "/jobs/" + id + "/cancel").expect(200);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> later.post(T + "/jobs", job).expect(201));
    }
  }

  @Test
  void theSettingsOfATenantReplaceTheQuotasOfAllServers() {
    Map<String, String> ofServer =
        Map.of("quotas.queuedJobs", "1", "quotas.openRuns", "1", "quotas.payloadBytes", "30");
    try (TestServer server = new TestServer(ofServer)) {
      ApiClient other = new ApiClient(server.start(ofServer).url(), server.tenantKey());
      ApiClient tenant = server.tenant();
      String settings = T + "/settings";
      String job = "{\"task\":\"no::handler\"}";
      String large = "{\"task\":\"a\",\"payload\":\"%s\"}".formatted("x".repeat(100));
      assertThat(tenant.get(settings).expect(200).json().at("/quotas/queuedJobs").isNull())
          .as("those of the server")
          .isTrue();
      tenant.post(T + "/jobs", job).expect(201);
      tenant.post(T + "/jobs", job).expect(429, "QUOTA_QUEUED_JOBS");
      other.post(T + "/jobs", large).expect(409, "QUOTA_PAYLOAD_BYTES");

      tenant.send("PATCH", settings, "{\"quotas\":{\"queuedJobs\":9}}").expect(403, "FORBIDDEN");
      server
          .admin()
          .send(
              "PATCH",
              settings,
              "{\"quotas\":{\"queuedJobs\":2,\"payloadBytes\":0,\"schedules\":1}}")
          .expect(200);
      server.admin().send("PATCH", settings, "{\"quotas\":{\"openRuns\":-1}}").expect(400);
      assertThat(tenant.get(settings).json().path("quotas").toString())
          .isEqualTo("{\"queuedJobs\":2,\"openRuns\":null,\"payloadBytes\":0,\"schedules\":1}");

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> other.post(T + "/jobs", large).expect(201));
      other.post(T + "/jobs", large).expect(429, "QUOTA_QUEUED_JOBS");
      String schedule = "{\"task\":\"a\",\"every\":\"P1D\"}";
      other.put(T + "/schedules/one", schedule).expect(201);
      other.put(T + "/schedules/two", schedule).expect(409, "QUOTA_SCHEDULES");
      String run = "{\"workflow\":\"test::approval\"}";
      other.post(T + "/runs", run).expect(201);
      other.post(T + "/runs", run).expect(429, "QUOTA_OPEN_RUNS");

      server.admin().send("PATCH", settings, "{\"quotas\":{\"schedules\":null}}").expect(200);
      assertThat(tenant.get(settings).json().at("/quotas/schedules").isNull()).isTrue();
    }
  }

  @Test
  void aServerAllowsItsShareOfTheRateOfAKey() {
    assertThat(allowed(new RateLimiter(() -> 0), 1)).isEqualTo(40);
    assertThat(allowed(new RateLimiter(() -> 0), 2)).isEqualTo(20);
    assertThat(allowed(new RateLimiter(() -> 0), 100)).as("never none at all").isEqualTo(1);
  }

  private static int allowed(RateLimiter limiter, int servers) {
    for (int i = 0; ; i++) {
      try {
        limiter.check(RateLimiter.Whose.KEY, "a", 40, servers);
      } catch (ProblemException refused) {
        return i;
      }
    }
  }

  @Test
  void serversThatReceiveRequestsAreCounted() {
    Map<String, String> limited = Map.of("mode", "api", "requestsPerSecond", "1000");
    try (TestServer first = new TestServer(limited)) {
      var second = first.start(limited);
      for (int i = 0; i < 2; i++) {
        first.tenant().get("/v1/me").expect(200);
        new ApiClient(second.url(), first.tenantKey()).get("/v1/me").expect(200);
      }
      assertThat(signs(first)).isEqualTo(2);
      second.close();
      assertThat(signs(first)).isEqualTo(1);
    }
  }

  private static int signs(TestServer server) {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "select count(*) from holdfast_control.version where name like 'api-server %'")) {
      rows.next();
      return rows.getInt(1);
    } catch (java.sql.SQLException broken) {
      throw new IllegalStateException(broken);
    }
  }
}
