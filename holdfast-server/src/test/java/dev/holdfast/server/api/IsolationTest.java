package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.http.Permission;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A key of one tenant reaches nothing of another, on any route. */
class IsolationTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyRouteRefusesTheKeyOfAnotherTenant() {
    ApiClient victim = server.newTenant("victim");
    ApiClient attacker = server.newTenant("attacker");
    String secret =
        "{\"task\":\"secret::task\",\"queue\":\"secretqueue\",\"payload\":\"topsecret\"}";
    String job = victim.post("/v1/tenants/victim/jobs", secret).expect(201).text("id");
    String before = victim.get("/v1/tenants/victim/jobs/" + job).response().body();
    int tried = 0;
    for (Route route : server.server().routes()) {
      if (route.permission() == Permission.PUBLIC) {
        continue;
      }
      tried++;
      String path =
          route
              .path()
              .replace("{tenant}", "victim")
              .replace("{job}", job)
              .replaceAll("\\{[a-z]+}", "secretqueue");
      String body = route.method().name().equals("GET") ? null : "{}";
      Reply reply = attacker.raw(route.method().name(), path, body);
      if (route.isOfTenant()) {
        reply.expect(401, "UNAUTHENTICATED");
      } else if (!route.path().equals("/v1/me")) {
        reply.expect(403, "FORBIDDEN");
      }
      assertThat(reply.response().body())
          .as(route.toString())
          .doesNotContain("topsecret", "secret::task", "victim");
      attacker.with("").raw(route.method().name(), path, body).expect(401);
    }
    assertThat(tried).isGreaterThan(60);
    // Its own tenant does not contain the job either.
    attacker.get("/v1/tenants/attacker/jobs/" + job).expect(404, "JOB_NOT_FOUND");
    assertThat(attacker.get("/v1/tenants/attacker/jobs").json().path("jobs").size()).isZero();
    assertThat(attacker.get("/v1/tenants/attacker/audit").response().body())
        .doesNotContain("victim");
    assertThat(victim.get("/v1/tenants/victim/jobs/" + job).response().body()).isEqualTo(before);
    // The same id in two tenants is two jobs.
    attacker
        .post("/v1/tenants/attacker/jobs", "{\"task\":\"mine\",\"id\":\"%s\"}".formatted(job))
        .expect(201);
    attacker.post("/v1/tenants/attacker/jobs/" + job + "/cancel").expect(200);
    assertThat(victim.get("/v1/tenants/victim/jobs/" + job).text("state")).isEqualTo("READY");
  }

  /**
   * The ids of one tenant, guessed or leaked, are nothing in another. Keys, audit entries and
   * idempotency keys of all tenants share tables, so there it depends on each statement.
   */
  @Test
  void idsOfOneTenantNameNothingInAnother() {
    ApiClient owner = server.newTenant("owner");
    ApiClient thief = server.newTenant("thief");
    String own = "/v1/tenants/owner";
    String there = "/v1/tenants/thief";
    String key = KeyText.parse(owner.key()).orElseThrow().id();
    String job =
        owner
            .post(own + "/jobs", "{\"task\":\"secret::task\",\"payload\":\"topsecret\"}")
            .expect(201)
            .text("id");
    owner.put(own + "/schedules/nightly", "{\"task\":\"secret::task\",\"every\":\"PT1H\"}");
    owner.put(own + "/triggers/paid", "{\"task\":\"secret::task\",\"event\":\"paid\"}");
    owner.post(own + "/queues/secretqueue/pause").expect(200);
    String worker =
        owner.post(own + "/workers", "{\"tasks\":[\"secret::task\"]}").expect(201).text("worker");
    List<String> reads = List.of("/jobs", "/schedules", "/triggers", "/settings", "/audit");
    List<String> before = reads.stream().map(path -> body(owner, own + path)).toList();
    int tried = 0;
    for (Route route : server.server().routes()) {
      if (!route.isOfTenant() || route.permission() == Permission.ADMIN) {
        continue;
      }
      tried++;
      String path =
          route
              .path()
              .replace("{tenant}", "thief")
              .replace("{key}", key)
              .replace("{job}", job)
              .replace("{run}", job)
              .replace("{schedule}", "nightly")
              .replace("{trigger}", "paid")
              .replace("{worker}", worker)
              .replaceAll("\\{[a-z]+}", "secretqueue");
      String body = route.method().name().equals("GET") ? null : "{}";
      Reply reply = thief.raw(route.method().name(), path, body);
      assertThat(reply.status()).as(route.toString()).isLessThan(500);
      assertThat(reply.response().body())
          .as(route.toString())
          .doesNotContain("topsecret", "secret::task", "owner");
      if (route.path().contains("{key}")) {
        reply.expect(404, "KEY_NOT_FOUND");
      } else if (route.path().contains("{worker}")) {
        reply.expect(404, "WORKER_NOT_FOUND");
      }
    }
    assertThat(tried).isGreaterThan(50);
    thief.delete(there + "/api-keys/" + key).expect(404, "KEY_NOT_FOUND");
    thief.post(there + "/api-keys/" + key + "/rotate").expect(404, "KEY_NOT_FOUND");
    assertThat(body(thief, there + "/api-keys")).doesNotContain(key);
    for (String audit : List.of("/audit", "/audit/export", "/audit?key=" + key)) {
      assertThat(body(thief, there + audit)).doesNotContain(key, "owner");
    }
    assertThat(reads.stream().map(path -> body(owner, own + path)).toList()).isEqualTo(before);
    Reply kept = owner.get(own + "/api-keys/" + key).expect(200);
    assertThat(kept.text("revokedAt") + kept.text("replacedBy")).isEmpty();
  }

  private static String body(ApiClient client, String path) {
    return client.get(path).expect(200).response().body();
  }

  @Test
  void aCursorOfOneTenantIsRefusedInAnother() {
    ApiClient one = server.newTenant("one");
    ApiClient two = server.newTenant("two");
    String jobs = "{\"jobs\":[{\"task\":\"a\"},{\"task\":\"a\"},{\"task\":\"a\"}]}";
    one.post("/v1/tenants/one/jobs/bulk", jobs).expect(201);
    two.post("/v1/tenants/two/jobs/bulk", jobs).expect(201);
    String next = one.get("/v1/tenants/one/jobs?limit=1").expect(200).text("next");
    one.get("/v1/tenants/one/jobs?limit=1&cursor=" + next).expect(200);
    two.get("/v1/tenants/two/jobs?limit=1&cursor=" + next).expect(400, "INVALID_CURSOR");
  }

  @Test
  void anIdempotencyKeyOfOneTenantMeansNothingInAnother() {
    ApiClient three = server.newTenant("three");
    ApiClient four = server.newTenant("four");
    String body = "{\"task\":\"a\"}";
    String first =
        three
            .header("Idempotency-Key", "order-1")
            .post("/v1/tenants/three/jobs", body)
            .expect(201)
            .text("id");
    Reply second =
        four.header("Idempotency-Key", "order-1").post("/v1/tenants/four/jobs", body).expect(201);
    assertThat(second.text("id")).isNotEqualTo(first);
    assertThat(second.header("Idempotent-Replay")).isEmpty();
    // A key of the installation may act in both, and its repeat in the other is another request.
    ApiClient admin = server.admin().header("Idempotency-Key", "order-2");
    admin.post("/v1/tenants/three/jobs", body).expect(201);
    admin.post("/v1/tenants/four/jobs", body).expect(422, "IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void keysOfADeletedTenantAreRefusedAndItsNameLeadsNowhere() {
    ApiClient gone = server.newTenant("gone");
    gone.post("/v1/tenants/gone/jobs", "{\"task\":\"a\"}").expect(201);
    server.admin().delete("/v1/tenants/gone").expect(409, "TENANT_IN_USE");
    server.admin().delete("/v1/tenants/gone?force=true").expect(200);
    gone.get("/v1/tenants/gone/jobs").expect(401);
    server.admin().get("/v1/tenants/gone/jobs").expect(404, "TENANT_NOT_FOUND");
    server.admin().post("/v1/tenants", "{\"name\":\"gone\"}").expect(409, "TENANT_EXISTS");
    server.admin().post("/v1/tenants", "{\"name\":\"admin\"}").expect(400, "INVALID_REQUEST");
    server.admin().post("/v1/tenants", "{\"name\":\"a_b\"}").expect(400, "INVALID_REQUEST");
  }
}
