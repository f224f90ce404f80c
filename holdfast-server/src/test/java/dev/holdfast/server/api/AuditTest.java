package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The audit log records which key did what, from where, and with which effect. */
class AuditTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api,scheduler", "keepAudit", "P1D"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode latest(String filter) {
    return tenant.get(T + "/audit?limit=1&" + filter).expect(200).json().at("/entries/0");
  }

  private static int sql(String statement) throws SQLException {
    try (var connection = server.database().connect();
        var run = connection.createStatement()) {
      return run.executeUpdate(statement);
    }
  }

  @Test
  void anEntryHasWhoFromWhereBeforeAfterAndOutcome() {
    tenant.put(T + "/queues/seen/limit", "{\"limit\":1}").expect(200);
    Reply reply = tenant.put(T + "/queues/seen/limit", "{\"limit\":2}").expect(200);
    JsonNode entry = latest("action=queue.limit&target=seen");
    assertThat(entry.at("/before/limit").asInt()).isEqualTo(1);
    assertThat(entry.at("/after/limit").asInt()).isEqualTo(2);
    assertThat(entry.path("outcome").asString()).isEqualTo("DONE");
    assertThat(entry.path("address").asString()).isEqualTo("127.0.0.1");
    assertThat(tenant.key()).contains("_" + entry.path("key").asString() + "_");
    assertThat(entry.path("request").asString()).isEqualTo(reply.header("X-Request-Id"));

    tenant.post(T + "/queues/seen/pause", "{\"reason\":\"upgrade\"}").expect(200);
    JsonNode pause = latest("action=queue.pause");
    assertThat(pause.at("/before/paused").asBoolean()).isFalse();
    assertThat(pause.at("/after/paused").asBoolean()).isTrue();
    assertThat(pause.at("/after/reason").asString()).isEqualTo("upgrade");
  }

  @Test
  void operationsOnDeadLettersAreRecordedWithTheirFilterAndCount() {
    try (TestServer working = new TestServer()) {
      ApiClient own = working.tenant();
      for (int i = 0; i < 3; i++) {
        own.post(T + "/jobs", "{\"task\":\"test::fail\",\"tags\":[\"t%d\"]}".formatted(i % 2))
            .expect(201);
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() ->
              own.get(T + "/jobs/counts").json().at("/counts/FAILED").asString("").equals("3"));
      String filter =
          "{\"task\":\"test::fail\",\"tag\":\"t0\",\"createdAfter\":\"2020-01-01T00:00:00Z\"}";
      own.post(T + "/dead-letters/purge", filter).expect(200);
      JsonNode entry =
          own.get(T + "/audit?action=dead-letters.purge").expect(200).json().at("/entries/0");
      assertThat(entry.path("target").asString()).isEqualTo("test::fail");
      assertThat(entry.at("/after/tag").asString()).isEqualTo("t0");
      assertThat(entry.at("/after/createdAfter").asString()).isEqualTo("2020-01-01T00:00:00Z");
      assertThat(entry.at("/after/queue").isNull()).isTrue();
      assertThat(entry.at("/after/count").asString()).isEqualTo("2");
      own.post(T + "/dead-letters/retry", "{\"queue\":\"default\"}").expect(200);
      JsonNode retry = own.get(T + "/audit?action=dead-letters.retry").json().at("/entries/0");
      assertThat(retry.at("/after/queue").asString()).isEqualTo("default");
      assertThat(retry.at("/after/count").asString()).isEqualTo("1");
    }
  }

  @Test
  void anActionThatDidNotSucceedHasTheCodeAsItsOutcome() {
    String job = tenant.post(T + "/jobs", "{\"task\":\"a\"}").expect(201).text("id");
    tenant.post(T + "/jobs/" + job + "/cancel").expect(200);
    tenant.post(T + "/jobs/" + job + "/cancel").expect(409, "JOB_STATE");
    JsonNode entry = latest("target=" + job);
    assertThat(entry.path("outcome").asString()).isEqualTo("JOB_STATE");
    JsonNode done = latest("outcome=DONE&target=" + job);
    assertThat(done.at("/before/state").asString()).isEqualTo("READY");
    assertThat(done.at("/after/state").asString()).isEqualTo("CANCELLED");
  }

  @Test
  void refusedRequestsOfAKeyInAMinuteAreOneEntry() {
    HoldfastServer second = server.start(Map.of("mode", "api"));
    ApiClient viewer =
        new ApiClient(second.url(), server.newKey("{\"name\":\"v\",\"preset\":\"viewer\"}").key());
    for (int i = 0; i < 6; i++) {
      viewer.post(T + "/queues/a/pause").expect(403, "FORBIDDEN");
      viewer.post(T + "/jobs", "{\"task\":\"a\"}").expect(403, "FORBIDDEN");
    }
    second.close(); // Writes what belongs to the current minute.
    JsonNode entries =
        tenant.get(T + "/audit?action=request.refused").expect(200).json().path("entries");
    // Two if the minute changed in between.
    assertThat(entries.size()).isBetween(1, 2);
    int count = 0;
    for (JsonNode entry : entries) {
      count += entry.at("/after/count").asInt();
      assertThat(entry.path("outcome").asString()).isEqualTo("FORBIDDEN");
      assertThat(entry.path("keyName").asString()).isEqualTo("v");
      assertThat(entry.path("after").path("routes").propertyNames())
          .contains("POST /v1/tenants/{tenant}/queues/{queue}/pause");
    }
    assertThat(count).isEqualTo(12);
  }

  @Test
  void theExportHasEverySelectedEntryInALine() throws Exception {
    assertThat(
            sql(
                "insert into holdfast_control.audit (tenant, action, target, outcome) select"
                    + " 'default', 'exported', n::text, 'DONE' from generate_series(1, 1234) n"))
        .isEqualTo(1234);
    Reply reply = tenant.get(T + "/audit/export?action=exported").expect(200);
    assertThat(reply.header("Content-Type")).isEqualTo("application/x-ndjson");
    List<JsonNode> lines = reply.response().body().lines().map(Json::parse).toList();
    assertThat(lines.stream().map(line -> line.path("target").asString()).distinct()).hasSize(1234);
    assertThat(lines.getFirst().path("target").asString()).isEqualTo("1234");
    assertThat(tenant.get(T + "/audit/export?action=none").expect(200).response().body()).isEmpty();
    server.admin().get("/v1/audit/export").expect(200);
  }

  @Test
  void oldEntriesAreDeleted() throws Exception {
    sql("update holdfast_control.tenant set created_at = now() - interval '3 days'");
    sql(
        "insert into holdfast_control.audit (tenant, at, action, outcome) values"
            + " ('default', now() - interval '2 days', 'ancient', 'DONE'),"
            + " ('default', now() - interval '2 hours', 'recent', 'DONE')");
    // The first deletion follows the start after ten seconds.
    server.start(Map.of("mode", "scheduler", "keepAudit", "P1D"));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(latest("action=ancient").isMissingNode()).isTrue());
    assertThat(latest("action=recent").isMissingNode()).isFalse();
  }
}
