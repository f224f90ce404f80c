package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What holds for all routes: ids, sizes, validation, idempotency, pages, ETags and limits. */
class PipelineTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api", "bodyLimit", "20000", "basePath", "/hold/fast"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void allPathsStartWithTheBasePath() {
    assertThat(tenant.server().getPath()).isEqualTo("/hold/fast");
    ApiClient outside =
        new ApiClient(java.net.URI.create("http://127.0.0.1:" + tenant.server().getPort()), "");
    assertThat(outside.raw("GET", "/health", null).status()).isEqualTo(404);
    assertThat(outside.raw("GET", "/hold/fastfood/health", null).status()).isEqualTo(404);
    tenant.get("/health").expect(200);
  }

  @Test
  void aRequestIdIsEchoedIfItIsValidAndCreatedOtherwise() {
    assertThat(tenant.header("X-Request-Id", "abc-1").get("/v1/me").header("X-Request-Id"))
        .isEqualTo("abc-1");
    assertThat(tenant.header("X-Request-Id", "a b").get("/v1/me").header("X-Request-Id"))
        .matches("[0-9a-f-]{36}");
  }

  @Test
  void allInvalidFieldsAreNamedAtOnce() {
    Reply reply =
        tenant
            .post(
                T + "/jobs",
                "{\"tasc\":\"a\",\"priority\":\"high\",\"runAt\":\"soon\",\"unique\":{\"kee\":1}}")
            .expect(400, "INVALID_REQUEST");
    List<String> fields = new ArrayList<>();
    reply.json().path("errors").forEach(error -> fields.add(error.path("field").asString()));
    assertThat(fields).contains("task", "tasc", "priority", "runAt", "unique.key", "unique.kee");
    assertThat(reply.response().body()).contains("did you mean 'task'?");
    tenant.get(T + "/jobs?quue=x").expect(400, "INVALID_REQUEST");
  }

  @Test
  void bodiesThatAreNotJsonOrTooLargeAreRefused() {
    tenant.post(T + "/jobs", "{").expect(400, "MALFORMED_REQUEST");
    tenant.post(T + "/jobs", "[1]").expect(400, "INVALID_REQUEST");
    tenant.post(T + "/jobs", "{\"task\":\"a\",\"task\":\"b\"}").expect(400, "MALFORMED_REQUEST");
    tenant
        .header("Content-Type", "text/xml")
        .post(T + "/jobs", "{}")
        .expect(415, "UNSUPPORTED_MEDIA_TYPE");
    String large = "{\"task\":\"a\",\"payload\":\"%s\"}".formatted("x".repeat(20_000));
    tenant.post(T + "/jobs", large).expect(413, "PAYLOAD_TOO_LARGE");
    assertThat(
            tenant.send("PUT", T + "/jobs", "{}").expect(405, "METHOD_NOT_ALLOWED").text("detail"))
        .contains("GET or POST");
  }

  @Test
  void payloadsPassThroughUnchanged() {
    String payload =
        "{\"n\":12345678901234567890.10,\"e\":1E+2,\"t\":\"\u00e9\ud83d\ude00\",\"z\":null}";
    String job =
        tenant.post(T + "/jobs", "{\"task\":\"a\",\"payload\":%s}".formatted(payload)).text("id");
    assertThat(tenant.get(T + "/jobs/" + job).response().body()).contains("\"payload\":" + payload);
  }

  @Test
  void aRepeatedEnqueueReturnsTheSameJob() {
    ApiClient once = tenant.header("Idempotency-Key", "order-7");
    Reply first = once.post(T + "/jobs", "{\"task\":\"idem::a\"}").expect(201);
    Reply second = once.post(T + "/jobs", "{\"task\":\"idem::a\"}").expect(201);
    assertThat(second.json()).isEqualTo(first.json());
    assertThat(second.header("Idempotent-Replay")).isEqualTo("true");
    once.post(T + "/jobs", "{\"task\":\"idem::b\"}").expect(422, "IDEMPOTENCY_KEY_REUSED");
    once.post(T + "/jobs/bulk", "{\"jobs\":[{\"task\":\"idem::a\"}]}").expect(422);
    // Keys do not share idempotency keys.
    server
        .newKey("{\"name\":\"x\",\"preset\":\"developer\"}")
        .header("Idempotency-Key", "order-7")
        .post(T + "/jobs", "{\"task\":\"idem::a\"}")
        .expect(201);
    assertThat(tenant.get(T + "/jobs?task=idem::a").json().path("jobs").size()).isEqualTo(2);
  }

  @Test
  void aRequestThatFailedIsNotRemembered() {
    ApiClient once = tenant.header("Idempotency-Key", "wrong-first");
    once.post(T + "/runs", "{\"workflow\":\"no::such\"}").expect(404);
    once.post(T + "/runs", "{\"workflow\":\"no::such\"}").expect(404);
  }

  @Test
  void concurrentRepeatsCreateOneJob() throws Exception {
    ApiClient once = tenant.header("Idempotency-Key", "at-once");
    String body = "{\"jobs\":[{\"task\":\"idem::c\"},{\"task\":\"idem::c\"}]}";
    List<Callable<JsonNode>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(() -> once.post(T + "/jobs/bulk", body).expect(201).json());
    }
    Set<String> ids = new HashSet<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (Future<JsonNode> each : threads.invokeAll(calls)) {
        each.get().path("jobs").forEach(job -> ids.add(job.path("id").asString()));
      }
    }
    assertThat(ids).hasSize(2);
    assertThat(tenant.get(T + "/jobs?task=idem::c").json().path("jobs").size()).isEqualTo(2);
  }

  /** The record exists, its result does not: the server died between the two. */
  @Test
  void aRepeatAfterACrashBetweenEffectAndRecordCreatesNothingNew() throws Exception {
    ApiClient once = tenant.header("Idempotency-Key", "crashed");
    String id = once.post(T + "/jobs", "{\"task\":\"idem::d\"}").expect(201).text("id");
    try (var connection = server.database().connect();
        var statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "update holdfast_control.idempotency set status = null, body = null"
                      + " where idempotency_key = 'crashed'"))
          .isEqualTo(1);
    }
    assertThat(once.post(T + "/jobs", "{\"task\":\"idem::d\"}").expect(200).text("id"))
        .isEqualTo(id);
    assertThat(tenant.get(T + "/jobs?task=idem::d").json().path("jobs").size()).isEqualTo(1);
  }

  @Test
  void pagesContinueWhereTheyEndedAndCursorsAreSigned() {
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      jobs.add("{\"task\":\"page::a\"}");
    }
    tenant.post(T + "/jobs/bulk", "{\"jobs\":[%s]}".formatted(String.join(",", jobs))).expect(201);
    Set<String> seen = new HashSet<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = tenant.get(T + "/jobs?task=page::a&limit=3" + cursor).expect(200).json();
      page.path("jobs").forEach(job -> seen.add(job.path("id").asString()));
      cursor = page.path("next").isNull() ? "" : "&cursor=" + page.path("next").asString();
      pages++;
    } while (!cursor.isEmpty());
    assertThat(seen).hasSize(7);
    assertThat(pages).isEqualTo(3);

    String next = tenant.get(T + "/jobs?task=page::a&limit=3").text("next");
    tenant.get(T + "/jobs?task=page::b&limit=3&cursor=" + next).expect(400, "INVALID_CURSOR");
    tenant.get(T + "/runs?cursor=" + next).expect(400, "INVALID_CURSOR");
    char last = next.charAt(next.length() - 2);
    String forged =
        next.substring(0, next.length() - 2)
            + (last == 'A' ? 'B' : 'A')
            + next.charAt(next.length() - 1);
    tenant.get(T + "/jobs?task=page::a&limit=3&cursor=" + forged).expect(400, "INVALID_CURSOR");
  }

  @Test
  void anUnchangedReadReturns304() {
    String job = tenant.post(T + "/jobs", "{\"task\":\"etag::a\",\"runIn\":\"PT1H\"}").text("id");
    String tag = tenant.get(T + "/jobs/" + job).expect(200).header("ETag");
    Reply same = tenant.header("If-None-Match", tag).get(T + "/jobs/" + job).expect(304);
    assertThat(same.response().body()).isEmpty();
    tenant.post(T + "/jobs/" + job + "/cancel").expect(200);
    tenant.header("If-None-Match", tag).get(T + "/jobs/" + job).expect(200);
  }

  /** As RFC 9110 says: a list, weak tags, and * for whatever there is. */
  @Test
  void ifNoneMatchMayBeAListOrAnything() {
    String path = T + "/settings";
    String tag = tenant.get(path).expect(200).header("ETag");
    for (String same :
        List.of("W/" + tag, "\"x\", " + tag, tag + " ,\"x\"", "\"x\",W/" + tag, "*")) {
      assertThat(tenant.header("If-None-Match", same).get(path).status()).as(same).isEqualTo(304);
    }
    for (String other : List.of("\"x\"", "W/\"x\", \"y\"", "", tag.replace("\"", ""), ",")) {
      assertThat(tenant.header("If-None-Match", other).get(path).status()).as(other).isEqualTo(200);
    }
  }

  /** Each key makes one request, so no key makes too many. */
  @Test
  void theKeysOfATenantShareItsRate() {
    ApiClient limited = server.newTenant("limited");
    String path = "/v1/tenants/limited";
    String rate = "{\"requestsPerSecond\":1}";
    limited.send("PATCH", path + "/settings", rate).expect(403, "FORBIDDEN");
    List<ApiClient> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(limited.with(limited.post(path + "/api-keys", "{\"name\":\"k\"}").text("key")));
    }
    server.admin().send("PATCH", path + "/settings", rate).expect(200);
    Reply refused = null;
    for (ApiClient key : keys) {
      Reply reply = key.get(path + "/queues");
      refused = reply.status() == 200 ? refused : reply;
    }
    assertThat(refused).isNotNull();
    refused.expect(429, "RATE_LIMITED");
    assertThat(refused.text("detail")).contains("The tenant");
    assertThat(refused.header("Retry-After")).isEqualTo("1");
    // Other tenants are not affected, and operators can act in a busy one.
    tenant.get(T + "/queues").expect(200);
    for (int i = 0; i < 5; i++) {
      server.admin().get(path + "/queues").expect(200);
    }
  }

  @Test
  void aKeyThatMakesTooManyRequestsIsSlowedDown() {
    Map<String, String> limits = Map.of("mode", "api", "requestsPerSecond", "1");
    try (TestServer limited = new TestServer(limits)) {
      Reply refused = limited.tenant().get(T + "/queues");
      for (int i = 0; i < 20 && refused.status() == 200; i++) {
        refused = limited.tenant().get(T + "/queues");
      }
      refused.expect(429, "RATE_LIMITED");
      assertThat(refused.text("detail")).contains("The key");
    }
  }

  @Test
  void uniqueKeysOfJobsConflict() {
    String unique = "{\"task\":\"u::a\",\"unique\":{\"key\":\"k\",\"onConflict\":\"%s\"}}";
    String id =
        tenant.post(T + "/jobs", unique.formatted("RETURN_EXISTING")).expect(201).text("id");
    assertThat(tenant.post(T + "/jobs", unique.formatted("RETURN_EXISTING")).expect(200).text("id"))
        .isEqualTo(id);
    tenant.post(T + "/jobs", unique.formatted("FAIL")).expect(409, "DUPLICATE_JOB");
  }
}
