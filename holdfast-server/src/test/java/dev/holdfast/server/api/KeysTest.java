package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What keys may do, and what wrong keys learn: nothing. */
class KeysTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void wrongKeysAreIndistinguishable() {
    ApiClient other = server.newTenant("other");
    ApiClient revoked = server.newKey("{\"name\":\"revoked\",\"preset\":\"admin\"}");
    tenant.delete(T + "/api-keys/" + KeyText.parse(revoked.key()).orElseThrow().id()).expect(204);
    ApiClient expired =
        server.newKey("{\"name\":\"expired\",\"expiresAt\":\"2020-01-01T00:00:00Z\"}");
    String right = tenant.key();
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("unknown", KeyText.create("live", "default").text());
    wrong.put("malformed", "holdfast_live_default");
    wrong.put("empty", "");
    wrong.put(
        "wrong checksum",
        right.substring(0, right.length() - 1) + (right.endsWith("a") ? "b" : "a"));
    wrong.put("revoked", revoked.key());
    wrong.put("expired", expired.key());
    wrong.put("other tenant", other.key());
    wrong.put("unknown tenant", KeyText.create("live", "nobody").text());

    ObjectNode expected = null;
    for (Map.Entry<String, String> each : wrong.entrySet()) {
      Reply reply = tenant.with(each.getValue()).get(T + "/jobs").expect(401, "UNAUTHENTICATED");
      ObjectNode body = (ObjectNode) reply.json();
      body.remove("requestId");
      expected = expected == null ? body : expected;
      assertThat(body).as(each.getKey()).isEqualTo(expected);
      assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
    }
    // A key of another tenant does not learn whether a tenant exists.
    ObjectNode body = (ObjectNode) other.get("/v1/tenants/nobody/jobs").expect(401).json();
    body.remove("requestId");
    assertThat(body).isEqualTo(expected);
  }

  @Test
  void presetsGiveWhatTheySay() {
    Map<String, List<Integer>> expected =
        Map.of(
            "viewer", List.of(200, 403, 403, 403),
            "operator", List.of(200, 403, 200, 403),
            "developer", List.of(200, 201, 403, 403),
            "admin", List.of(200, 201, 200, 200));
    expected.forEach((preset, statuses) -> {
      ApiClient key = server.newKey("{\"name\":\"k\",\"preset\":\"%s\"}".formatted(preset));
      assertThat(
              List.of(
                  key.get(T + "/queues").status(),
                  key.post(T + "/jobs", "{\"task\":\"a\"}").status(),
                  key.post(T + "/queues/x/resume").status(),
                  key.get(T + "/api-keys").status()))
          .as(preset)
          .isEqualTo(statuses);
      key.get("/v1/tenants").expect(403, "FORBIDDEN");
    });
  }

  @Test
  void aKeyWithoutCanReadPayloadsSeesNone() {
    String job =
        tenant.post(T + "/jobs", "{\"task\":\"a\",\"payload\":{\"card\":\"4111\"}}").text("id");
    ApiClient viewer = server.newKey("{\"name\":\"v\",\"preset\":\"viewer\"}");
    assertThat(tenant.get(T + "/jobs/" + job).response().body()).contains("4111");
    for (String path : List.of("/jobs/" + job, "/jobs?task=a")) {
      assertThat(viewer.get(T + path).expect(200).response().body())
          .contains(job)
          .doesNotContain("4111");
    }
  }

  @Test
  void aKeyIsLimitedToItsPatterns() {
    ApiClient mail = server.newKey("{\"name\":\"m\",\"preset\":\"admin\",\"tasks\":[\"mail::*\"]}");
    String own = mail.post(T + "/jobs", "{\"task\":\"mail::send\"}").expect(201).text("id");
    String other = tenant.post(T + "/jobs", "{\"task\":\"billing::run\"}").expect(201).text("id");
    mail.post(T + "/jobs", "{\"task\":\"billing::run\"}").expect(403, "FORBIDDEN");
    mail.post(T + "/jobs/bulk", "{\"jobs\":[{\"task\":\"mail::send\"},{\"task\":\"mail\"}]}")
        .expect(403);
    mail.post(T + "/jobs/" + other + "/cancel").expect(403);
    mail.post(T + "/jobs/" + own + "/cancel").expect(200);
    mail.post(T + "/queues/default/pause").expect(403);
    mail.post(T + "/dead-letters/purge").expect(403);
    mail.post(T + "/dead-letters/purge", "{\"task\":\"mail::send\"}").expect(200);
    mail.put(T + "/schedules/x", "{\"task\":\"billing::run\",\"every\":\"PT1H\"}").expect(403);
    mail.put(T + "/triggers/x", "{\"task\":\"billing::run\",\"event\":\"e\"}").expect(403);
  }

  /** What exists belongs to its task, whatever a request wants to make of it. */
  @Test
  void aLimitedKeyTakesOverNothingOfOtherTasks() {
    ApiClient mail = server.newKey("{\"name\":\"m\",\"preset\":\"admin\",\"tasks\":[\"mail::*\"]}");
    tenant.put(T + "/schedules/own", "{\"task\":\"billing::run\",\"every\":\"PT1H\"}").expect(201);
    tenant.put(T + "/triggers/own", "{\"task\":\"billing::run\",\"event\":\"e\"}").expect(200);
    mail.put(T + "/schedules/own", "{\"task\":\"mail::send\",\"every\":\"PT1H\"}").expect(403);
    mail.put(T + "/triggers/own", "{\"task\":\"mail::send\",\"event\":\"e\"}").expect(403);
    for (String what : List.of("/schedules/own", "/triggers/own")) {
      mail.post(T + what + "/pause").expect(403);
      mail.post(T + what + "/resume").expect(403);
      mail.delete(T + what).expect(403);
      assertThat(tenant.get(T + what).expect(200).text("task")).isEqualTo("billing::run");
    }
    mail.post(T + "/schedules/own/fire").expect(403);
    String other = tenant.post(T + "/jobs", "{\"task\":\"billing::run\"}").expect(201).text("id");
    for (String act : List.of("/cancel", "/retry", "/requeue")) {
      mail.post(T + "/jobs/" + other + act).expect(403);
    }
    mail.post(T + "/jobs/" + other + "/signals", "{\"name\":\"go\"}").expect(403);
    mail.post(T + "/dead-letters/retry", "{\"task\":\"billing::run\"}").expect(403);
  }

  @Test
  void aKeyIsLimitedToItsWorkflows() {
    // A worker registers the workflows.
    server.start(Map.of("mode", "worker"));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/workflows").response().body()).contains("test::approval"));
    ApiClient chains =
        server.newKey(
            "{\"name\":\"c\",\"preset\":\"admin\",\"workflows\":[\"test::chain\"],\"tasks\":[\"none\"]}");
    String wanted = "{\"workflow\":\"test::approval\"}";
    chains.post(T + "/runs", wanted).expect(403, "FORBIDDEN");
    chains.post(T + "/runs", "{\"workflow\":\"test::chain\"}").expect(201);
    String run = T + "/runs/" + tenant.post(T + "/runs", wanted).expect(201).text("id");
    for (String act : List.of("/cancel", "/pause", "/resume", "/retry", "/rerun")) {
      chains.post(run + act).expect(403, "FORBIDDEN");
    }
    chains.post(run + "/signals", "{\"name\":\"approved\"}").expect(403, "FORBIDDEN");
    chains.post(run + "/move", "{\"hash\":\"x\"}").expect(403, "FORBIDDEN");
    chains.post(T + "/runs/recover").expect(403, "FORBIDDEN");
    assertThat(tenant.get(run).expect(200).text("state")).isEqualTo("RUNNING");
  }

  /** A task that starts runs is a way to its workflow. */
  @Test
  void aKeyThatIsLimitedToWorkflowsStartsNoOthersThroughTasks() {
    ApiClient key =
        server.newKey("{\"name\":\"w\",\"preset\":\"admin\",\"workflows\":[\"own::flow\"]}");
    String job = "{\"task\":\"%s::start-run\"}";
    String other = job.formatted("other::flow");
    key.post(T + "/jobs", other).expect(403, "FORBIDDEN");
    key.post(T + "/jobs/bulk", "{\"jobs\":[%s]}".formatted(other)).expect(403, "FORBIDDEN");
    String every = other.replace("}", ",\"every\":\"PT1H\"}");
    key.put(T + "/schedules/flow", every).expect(403, "FORBIDDEN");
    String on = other.replace("}", ",\"event\":\"flow\"}");
    key.put(T + "/triggers/flow", on).expect(403, "FORBIDDEN");
    String started = tenant.post(T + "/jobs", other).expect(201).text("id");
    key.post(T + "/jobs/" + started + "/cancel").expect(403, "FORBIDDEN");
    tenant.put(T + "/schedules/flow", every).expect(201);
    key.post(T + "/schedules/flow/fire").expect(403, "FORBIDDEN");

    key.post(T + "/jobs", job.formatted("own::flow")).expect(201);
    key.post(T + "/jobs", "{\"task\":\"any::task\"}").expect(201);
  }

  @Test
  void aLimitedKeyPublishesNoEventThatStartsOtherTasks() {
    ApiClient mail = server.newKey("{\"name\":\"m\",\"preset\":\"admin\",\"tasks\":[\"mail::*\"]}");
    String trigger = "{\"task\":\"%s\",\"event\":\"ordered\"}";
    String event = "{\"event\":\"ordered\",\"payload\":{\"order\":1}}";
    tenant.put(T + "/triggers/mailing", trigger.formatted("mail::send")).expect(200);
    mail.post(T + "/events", event).expect(200);
    tenant.put(T + "/triggers/charging", trigger.formatted("billing::charge")).expect(200);
    mail.post(T + "/events", event.replace("1", "2")).expect(403, "FORBIDDEN");
    mail.post(T + "/events", event.replace("ordered", "unheard")).expect(200);
    assertThat(tenant.get(T + "/jobs?task=billing::charge").json().path("jobs").size()).isZero();
    tenant.delete(T + "/triggers/charging").expect(204);
    tenant.delete(T + "/triggers/mailing").expect(204);
  }

  /** Settings apply to all tasks: how long history is kept, and whose packages run. */
  @Test
  void aLimitedKeyChangesNoSettings() {
    ApiClient limited =
        server.newKey(
            "{\"name\":\"l\",\"attributes\":[\"can_manage_keys\"],\"tasks\":[\"mail::*\"]}");
    String before = limited.get(T + "/settings").expect(200).response().body();
    for (String change :
        List.of(
            "{\"keepHistory\":\"PT1H\"}",
            "{\"packages\":{\"requireSignature\":true}}",
            "{\"packages\":{\"trustedKeys\":{}}}")) {
      limited.send("PATCH", T + "/settings", change).expect(403, "FORBIDDEN");
    }
    assertThat(tenant.get(T + "/settings").expect(200).response().body()).isEqualTo(before);
  }

  @Test
  void aKeyWithoutCanReadPayloadsSeesNoElementsOfMaps() {
    server.start(Map.of("mode", "worker"));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(tenant.get(T + "/workflows").response().body()).contains("test::map"));
    String run =
        tenant
            .post(T + "/runs", "{\"workflow\":\"test::map\",\"input\":[\"topsecret\"]}")
            .expect(201)
            .text("id");
    String items = T + "/runs/" + run + "/steps/each/items";

    assertThat(tenant.get(items).expect(200).response().body()).contains("topsecret");
    ApiClient blind = server.newKey("{\"name\":\"b\",\"preset\":\"viewer\"}");
    assertThat(blind.get(items).expect(200).response().body())
        .contains("\"position\":0")
        .doesNotContain("topsecret", "label");
  }

  @Test
  void noKeyCreatesOneThatCanDoMore() {
    ApiClient limited =
        server.newKey(
            "{\"name\":\"l\",\"attributes\":[\"can_manage_keys\"],\"tasks\":[\"mail::*\"]}");
    limited
        .post(T + "/api-keys", "{\"name\":\"x\",\"preset\":\"operator\"}")
        .expect(403, "FORBIDDEN");
    // Within its patterns, with an attribute that it lacks; and the reverse.
    limited
        .post(
            T + "/api-keys",
            "{\"name\":\"x\",\"attributes\":[\"can_operate\"],\"tasks\":[\"mail::*\"]}")
        .expect(403, "FORBIDDEN");
    limited.post(T + "/api-keys", "{\"name\":\"x\"}").expect(403, "FORBIDDEN");
    limited.post(T + "/api-keys", "{\"name\":\"x\",\"tasks\":[\"mail::*\"]}").expect(201);
    String strong = KeyText.parse(tenant.key()).orElseThrow().id();
    limited.post(T + "/api-keys/" + strong + "/rotate").expect(403, "FORBIDDEN");
    limited.delete(T + "/api-keys/" + strong).expect(403, "FORBIDDEN");
    tenant.get("/v1/me").expect(200);
    String own = "{\"name\":\"x\",\"tasks\":[\"mail::*\"]}";
    String weak = limited.post(T + "/api-keys", own).expect(201).text("id");
    limited.delete(T + "/api-keys/" + weak).expect(204);
  }

  private static String id(String key) {
    return KeyText.parse(key).orElseThrow().id();
  }

  @Test
  void keysOfTheInstallationAreManaged() {
    ApiClient admin = server.admin();
    String keys = "/v1/api-keys";
    Reply created =
        admin
            .post(keys, "{\"name\":\"second\",\"expiresAt\":\"2099-01-01T00:00:00Z\"}")
            .expect(201);
    assertThat(created.text("key")).startsWith("holdfast_live_admin_");
    assertThat(created.text("expiresAt")).startsWith("2099-");
    String second = created.text("id");
    admin.with(created.text("key")).get("/v1/tenants").expect(200);
    admin.with(created.text("key")).get(T + "/jobs").expect(200);
    assertThat(admin.get(keys).expect(200).response().body())
        .contains(second, id(server.adminKey()))
        .doesNotContain(id(tenant.key()), created.text("key"));
    assertThat(admin.get(keys + "/" + second).expect(200).text("name")).isEqualTo("second");
    // Keys of tenants are elsewhere, and their keys reach none of these.
    admin.get(keys + "/" + id(tenant.key())).expect(404, "KEY_NOT_FOUND");
    admin.delete(keys + "/" + id(tenant.key())).expect(404, "KEY_NOT_FOUND");
    admin.get(T + "/api-keys/" + second).expect(404, "KEY_NOT_FOUND");
    tenant.get(keys).expect(403, "FORBIDDEN");
    tenant.post(keys, "{\"name\":\"mine\"}").expect(403, "FORBIDDEN");
    // They can do everything, so there is nothing to choose.
    admin.post(keys, "{\"name\":\"x\",\"preset\":\"viewer\"}").expect(400, "INVALID_REQUEST");

    Reply rotated =
        admin.post(keys + "/" + second + "/rotate", "{\"overlap\":\"PT0S\"}").expect(201);
    admin.with(created.text("key")).get("/v1/tenants").expect(401);
    ApiClient third = admin.with(rotated.text("key"));
    third.get("/v1/tenants").expect(200);
    admin.delete(keys + "/" + rotated.text("id")).expect(204);
    third.get("/v1/tenants").expect(401);
    String audit = admin.get("/v1/audit?limit=100").expect(200).response().body();
    assertThat(audit).contains("key.create", "key.rotate", "key.revoke", rotated.text("id"));
    assertThat(tenant.get(T + "/audit?limit=100").response().body()).doesNotContain(second);
  }

  @Test
  void theLastValidKeyOfTheInstallationCannotBeRevoked() {
    try (TestServer other = new TestServer(Map.of("mode", "api"))) {
      ApiClient admin = other.admin();
      String keys = "/v1/api-keys";
      admin.post(keys, "{\"name\":\"expired\",\"expiresAt\":\"2020-01-01T00:00:00Z\"}").expect(201);
      String revoked = admin.post(keys, "{\"name\":\"revoked\"}").expect(201).text("id");
      admin.delete(keys + "/" + revoked).expect(204);
      admin.delete(keys + "/" + revoked).expect(409, "KEY_STATE");
      String last = keys + "/" + id(other.adminKey());
      assertThat(admin.delete(last).expect(409, "KEY_STATE").text("detail")).contains("the last");
      ApiClient next = admin.with(admin.post(keys, "{\"name\":\"next\"}").expect(201).text("key"));
      next.delete(last).expect(204);
      admin.get("/v1/tenants").expect(401);
      next.delete(keys + "/" + id(next.key())).expect(409, "KEY_STATE");
    }
  }

  @Test
  void aRotatedKeyWorksUntilTheOverlapEnds() {
    ApiClient old = server.newKey("{\"name\":\"r\",\"preset\":\"developer\"}");
    String id = KeyText.parse(old.key()).orElseThrow().id();
    Reply rotated =
        tenant.post(T + "/api-keys/" + id + "/rotate", "{\"overlap\":\"PT1H\"}").expect(201);
    old.get("/v1/me").expect(200);
    assertThat(tenant.with(rotated.text("key")).get("/v1/me").expect(200).json().path("attributes"))
        .isEqualTo(old.get("/v1/me").json().path("attributes"));
    assertThat(tenant.get(T + "/api-keys/" + id).text("replacedBy")).isEqualTo(rotated.text("id"));
    tenant.post(T + "/api-keys/" + id + "/rotate").expect(409, "KEY_STATE");

    ApiClient other = server.newKey("{\"name\":\"r\",\"preset\":\"developer\"}");
    String otherId = KeyText.parse(other.key()).orElseThrow().id();
    tenant.post(T + "/api-keys/" + otherId + "/rotate", "{\"overlap\":\"PT0S\"}").expect(201);
    other.get("/v1/me").expect(401);
  }

  @Test
  void aRepeatedCreationDoesNotShowTheSecretAgain() {
    ApiClient once = tenant.header("Idempotency-Key", "create-key-1");
    Reply first = once.post(T + "/api-keys", "{\"name\":\"once\"}").expect(201);
    Reply second = once.post(T + "/api-keys", "{\"name\":\"once\"}").expect(201);
    assertThat(first.text("key")).startsWith("holdfast_live_default_");
    assertThat(second.text("id")).isEqualTo(first.text("id"));
    assertThat(second.text("code")).isEqualTo("SECRET_ALREADY_SHOWN");
    assertThat(second.response().body()).doesNotContain(first.text("key").substring(35));
    assertThat(second.header("Idempotent-Replay")).isEqualTo("true");
  }

  @Test
  void administrativeActionsAreInTheAuditLog() {
    ApiClient key = server.newKey("{\"name\":\"audited\",\"preset\":\"operator\"}");
    String id = KeyText.parse(key.key()).orElseThrow().id();
    key.post(T + "/queues/audited/pause", "{\"reason\":\"test\"}").expect(200);
    key.post(T + "/jobs/0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e/cancel").expect(404);
    var paused =
        tenant.get(T + "/audit?action=queue.pause&key=" + id).expect(200).json().path("entries");
    assertThat(paused.size()).isEqualTo(1);
    assertThat(paused.path(0).path("target").asString()).isEqualTo("audited");
    assertThat(paused.path(0).path("outcome").asString()).isEqualTo("DONE");
    assertThat(paused.path(0).path("after").path("reason").asString()).isEqualTo("test");
    assertThat(paused.path(0).path("address").asString()).isEqualTo("127.0.0.1");
    var created = tenant.get(T + "/audit?action=key.create").json().path("entries");
    assertThat(created.toString()).contains(id).doesNotContain(key.key().substring(40));
  }
}
