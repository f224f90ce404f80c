package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.http.Permission;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A key of one tenant reaches nothing of another, on any route. */
class IsolationTest {

  @Test
  void everyRouteRefusesTheKeyOfAnotherTenant() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
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
  }

  @Test
  void keysOfADeletedTenantAreRefusedAndItsNameLeadsNowhere() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
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
}
