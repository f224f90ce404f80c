package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.OpenApi;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The description of the API is complete and true. */
class OpenApiTest {
  private static final String T = "/v1/tenants/default";

  @TempDir private Path folder;

  @Test
  void everyRouteIsDescribedAndNothingElseIs() {
    try (TestServer server = new TestServer()) {
      Set<String> routes =
          server.server().routes().stream()
              .map(Route::toString)
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(OpenApi.instance().operations()).isEqualTo(routes);
      Set<String> ids = new TreeSet<>();
      for (Route route : server.server().routes()) {
        JsonNode operation = OpenApi.instance().operation(route.method().name(), route.path());
        assertThat(operation.path("summary").asString("")).as(route.toString()).isNotBlank();
        assertThat(ids.add(operation.path("operationId").asString("")))
            .as("operationId of " + route)
            .isTrue();
        assertThat(permission(operation)).as(route.toString()).isEqualTo(permission(route));
        assertThat(
                operation
                    .path("parameters")
                    .valueStream()
                    .anyMatch(p -> p.path("$ref").asString("").endsWith("IdempotencyKey")))
            .as("Idempotency-Key of " + route)
            .isEqualTo(route.creates());
      }
    }
  }

  private static String permission(JsonNode operation) {
    return operation.path("x-permission").asString("");
  }

  private static String permission(Route route) {
    return switch (route.permission()) {
      case PUBLIC -> "public";
      case READ -> "any valid key";
      case EXECUTE -> "can_execute";
      case WORK -> "can_work";
      case UPLOAD -> "can_upload";
      case OPERATE -> "can_operate";
      case MANAGE_KEYS -> "can_manage_keys";
      case ADMIN -> "admin key";
    };
  }

  /** The client checks each response; in the end every operation must have succeeded once. */
  @Test
  void everyOperationReturnsWhatIsDescribed() throws Exception {
    try (TestServer server = new TestServer()) {
      ApiClient admin = server.admin();
      ApiClient tenant = server.tenant();
      for (String path :
          List.of(
              "/health",
              "/ready",
              "/metrics",
              "/openapi.yaml",
              "/docs",
              "/backlog?queue=default")) {
        tenant.with("").get(path).expect(200);
      }
      jobs(server, tenant);
      queues(tenant);
      schedulesAndTriggers(tenant);
      runs(tenant);
      workers(tenant);
      packages(tenant);
      keys(tenant);
      secrets(tenant, admin);
      installation(server, admin);
      stream(tenant);
      admin.get("/v1/log-levels").expect(200);
      admin.put("/v1/log-levels/log.test.shape", "{\"level\":\"WARN\"}").expect(200);
      assertThat(tenant.get(T + "/audit/export").status()).isEqualTo(200);
      assertThat(admin.get("/v1/audit/export").status()).isEqualTo(200);
      assertThat(OpenApi.instance().unseen()).isEmpty();
      everyAdministrativeOperationWasRecorded(server);
    }
  }

  private static void everyAdministrativeOperationWasRecorded(TestServer server)
      throws SQLException {
    Set<String> recorded = new TreeSet<>();
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "select request from holdfast_control.audit where outcome = 'DONE'")) {
      while (rows.next()) {
        recorded.add(String.valueOf(rows.getString(1)));
      }
    }
    for (Route route : server.server().routes()) {
      boolean administrative =
          switch (route.permission()) {
            case UPLOAD, OPERATE, MANAGE_KEYS, ADMIN -> route.method() != Method.GET;
            case PUBLIC, READ, EXECUTE, WORK -> false;
          };
      if (administrative) {
        assertThat(OpenApi.instance().requests(route.toString()))
            .as("audit entries of " + route)
            .containsAnyElementsOf(recorded);
      }
    }
  }

  private static void jobs(TestServer server, ApiClient tenant) throws InterruptedException {
    String job =
        tenant
            .post(T + "/jobs", "{\"task\":\"test::echo\",\"payload\":{\"a\":1}}")
            .expect(201)
            .text("id");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(tenant.get(T + "/jobs/" + job).text("state")).isEqualTo("SUCCEEDED"));
    assertThat(tenant.get(T + "/jobs/" + job).json().path("result").path("a").asInt()).isEqualTo(1);
    tenant
        .post(T + "/jobs/bulk", "{\"jobs\":[{\"task\":\"test::fail\"},{\"task\":\"test::fail\"}]}")
        .expect(201);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/jobs?state=FAILED").json().path("jobs").size())
                .isEqualTo(2));
    String failed =
        tenant
            .get(T + "/jobs?state=FAILED&limit=1")
            .json()
            .path("jobs")
            .path(0)
            .path("id")
            .asString();
    tenant.get(T + "/jobs/counts").expect(200);
    tenant.post(T + "/jobs/" + failed + "/retry").expect(200);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(tenant.get(T + "/jobs/" + failed).text("state")).isEqualTo("FAILED"));
    assertThat(
            tenant
                .post(T + "/dead-letters/retry", "{\"task\":\"test::fail\"}")
                .expect(200)
                .text("count"))
        .isEqualTo("2");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/jobs?state=FAILED").json().path("jobs").size())
                .isEqualTo(2));
    assertThat(tenant.post(T + "/dead-letters/purge").expect(200).text("count")).isEqualTo("2");

    String later =
        tenant
            .post(T + "/jobs", "{\"task\":\"test::block\",\"runIn\":\"PT1H\"}")
            .expect(201)
            .text("id");
    assertThat(tenant.get(T + "/jobs/" + later).json().at("/why/0/code").asString())
        .isEqualTo("NOT_DUE");
    tenant.post(T + "/jobs/" + later + "/signals", "{\"name\":\"go\",\"payload\":1}").expect(200);
    tenant.post(T + "/jobs/" + later + "/requeue").expect(200);
    server.tasks().started.acquire();
    tenant.post(T + "/jobs/" + later + "/cancel").expect(200);
    tenant.post(T + "/jobs/" + job + "/cancel").expect(409, "JOB_STATE");
  }

  private static void secrets(ApiClient tenant, ApiClient admin) {
    tenant.put(T + "/secrets/smtp", "{\"value\":\"hunter2hunter2\"}").expect(200);
    tenant.get(T + "/secrets").expect(200);
    admin.post("/v1/secrets/rotate").expect(200);
    tenant.delete(T + "/secrets/smtp").expect(200);
    tenant.delete(T + "/secrets/smtp").expect(404, "SECRET_NOT_FOUND");
  }

  private static void queues(ApiClient tenant) {
    tenant.post(T + "/queues/default/pause", "{\"reason\":\"maintenance\"}").expect(200);
    tenant.get(T + "/queues").expect(200);
    tenant.get(T + "/queues/default/backlog").expect(200);
    assertThat(tenant.get(T + "/queues/default").expect(200).json().path("paused").asBoolean())
        .isTrue();
    tenant.post(T + "/queues/default/resume").expect(200);
    tenant.put(T + "/queues/default/limit", "{\"limit\":7}").expect(200);
    tenant.delete(T + "/queues/default/limit").expect(200);
    tenant.get(T + "/queues/nowhere").expect(404, "QUEUE_NOT_FOUND");
  }

  private static void schedulesAndTriggers(ApiClient tenant) {
    String id = T + "/schedules/every%20hour";
    tenant
        .put(id, "{\"task\":\"test::echo\",\"cron\":\"0 3 * * *\",\"zone\":\"Europe/Berlin\"}")
        .expect(201);
    tenant.put(id, "{\"task\":\"test::echo\",\"every\":\"PT1H\"}").expect(200);
    assertThat(tenant.get(id).expect(200).json().path("next").size()).isEqualTo(5);
    tenant.get(T + "/schedules").expect(200);
    tenant.post(id + "/pause").expect(204);
    tenant.post(id + "/resume").expect(204);
    tenant.post(id + "/fire").expect(201);
    tenant.delete(id).expect(204);
    tenant.get(id).expect(404, "SCHEDULE_NOT_FOUND");

    String trigger = T + "/triggers/on-update";
    tenant
        .put(
            trigger,
            """
            {"event":"page.updated","task":"test::echo",
             "conditions":[{"field":"kind","is":"page"},{"field":"size","isGreaterThan":10}]}
            """)
        .expect(200);
    assertThat(tenant.get(trigger).expect(200).json().path("conditions").size()).isEqualTo(2);
    tenant.get(T + "/triggers").expect(200);
    assertThat(
            tenant
                .post(
                    T + "/events",
                    "{\"event\":\"page.updated\",\"payload\":{\"kind\":\"page\",\"size\":11}}")
                .expect(200)
                .json()
                .at("/outcomes/0/decision")
                .asString())
        .isEqualTo("STARTED");
    tenant.post(trigger + "/pause").expect(204);
    tenant.post(trigger + "/resume").expect(204);
    tenant.delete(trigger).expect(204);
  }

  private static String start(ApiClient tenant, String workflow) {
    return tenant
        .post(
            T + "/runs",
            "{\"workflow\":\"%s\",\"input\":{\"n\":1},\"label\":\"x\"}".formatted(workflow))
        .expect(201)
        .text("id");
  }

  private static void awaitRun(ApiClient tenant, String run, String state) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(tenant.get(T + "/runs/" + run).text("state")).isEqualTo(state));
  }

  private static void runs(ApiClient tenant) {
    String run = start(tenant, "test::approval");
    tenant.get(T + "/runs?state=RUNNING&workflow=test::approval").expect(200);
    tenant.get(T + "/runs/counts").expect(200);
    tenant.get(T + "/runs?stranded=true").expect(200);
    tenant.post(T + "/runs/" + run + "/pause").expect(204);
    awaitRun(tenant, run, "PAUSED");
    tenant.post(T + "/runs/" + run + "/resume").expect(204);
    String hash = tenant.get(T + "/runs/" + run).text("definition");
    tenant
        .post(T + "/runs/" + run + "/move", "{\"hash\":\"%s\",\"dryRun\":true}".formatted(hash))
        .expect(200);
    tenant
        .post(
            T + "/runs/" + run + "/signals", "{\"name\":\"approved\",\"payload\":{\"by\":\"ada\"}}")
        .expect(200);
    awaitRun(tenant, run, "SUCCEEDED");
    tenant.get(T + "/runs/" + run + "/events").expect(200);
    String again =
        tenant.post(T + "/runs/" + run + "/rerun", "{\"from\":[\"after\"]}").expect(201).text("id");
    awaitRun(tenant, again, "SUCCEEDED");
    String edited =
        tenant
            .post(
                T + "/runs/" + run + "/rerun",
                "{\"from\":[\"after\"],\"outputs\":{\"approval\":{\"by\":\"bob\"}}}")
            .expect(201)
            .text("id");
    awaitRun(tenant, edited, "SUCCEEDED");
    JsonNode steps = tenant.get(T + "/runs/" + edited).expect(200).json().path("steps");
    assertThat(steps).extracting(step -> step.at("/output/by").asString()).containsOnly("bob");
    tenant.post(T + "/runs/" + run + "/rerun", "{\"outputs\":[]}").expect(400, "INVALID_REQUEST");
    items(tenant);
    assertThat(tenant.post(T + "/runs/recover").expect(200).json().path("repairs")).isEmpty();
    String failing = start(tenant, "test::failing");
    awaitRun(tenant, failing, "FAILED");
    tenant.post(T + "/runs/" + failing + "/retry").expect(204);
    tenant.post(T + "/runs/" + run + "/cancel", "{\"reason\":\"late\"}").expect(409, "RUN_STATE");
    String open = start(tenant, "test::approval");
    tenant.post(T + "/runs/" + open + "/cancel", "{\"reason\":\"not needed\"}").expect(204);
    awaitRun(tenant, open, "CANCELLED");
    assertThat(tenant.get(T + "/workflows").expect(200).json().path("workflows").size())
        .isEqualTo(4);
    tenant.get(T + "/workflows/test::chain").expect(200);
    tenant.post(T + "/runs", "{\"workflow\":\"no::such\"}").expect(404, "WORKFLOW_NOT_FOUND");
  }

  private static void items(ApiClient tenant) {
    String run =
        tenant
            .post(T + "/runs", "{\"workflow\":\"test::map\",\"input\":[1,2,3]}")
            .expect(201)
            .text("id");
    awaitRun(tenant, run, "SUCCEEDED");
    String path = T + "/runs/" + run + "/steps/each/items?limit=2";
    JsonNode first = tenant.get(path).expect(200).json();
    JsonNode rest = tenant.get(path + "&cursor=" + first.path("next").asString()).json();
    assertThat(first.path("items"))
        .extracting(item -> item.path("output").asInt())
        .containsExactly(1, 2);
    assertThat(rest.path("items"))
        .extracting(item -> item.path("output").asInt())
        .containsExactly(3);
    assertThat(rest.path("next").isNull()).isTrue();
    tenant.get(T + "/runs/" + run + "/steps/eahc/items").expect(400, "INVALID_REQUEST");
  }

  private static void workers(ApiClient tenant) {
    tenant.post(T + "/jobs", "{\"task\":\"remote::task\",\"payload\":{\"a\":1}}").expect(201);
    String worker =
        T
            + "/workers/"
            + tenant
                .post(T + "/workers", "{\"tasks\":[\"remote::task\"],\"timeout\":\"PT1M\"}")
                .expect(201)
                .text("worker");
    JsonNode job =
        tenant
            .post(worker + "/claim", "{\"call\":1,\"max\":0,\"prefetch\":1,\"wait\":\"PT20S\"}")
            .expect(200)
            .json()
            .at("/jobs/0");
    String claim =
        "\"job\":\"%s\",\"token\":\"%s\""
            .formatted(job.path("job").asString(), job.path("token").asString());
    String jobs = "{\"jobs\":[{%s}]}".formatted(claim);
    tenant.post(worker + "/start", jobs).expect(200);
    tenant.post(worker + "/heartbeat", jobs).expect(200);
    tenant.post(worker + "/progress", jobs).expect(200);
    tenant
        .post(
            worker + "/steps",
            "{%s,\"name\":\"one\",\"kind\":\"RUN\",\"output\":7}".formatted(claim))
        .expect(200);
    tenant.post(worker + "/signals", "{%s,\"name\":\"go\"}".formatted(claim)).expect(200);
    tenant
        .post(worker + "/journal", "{\"job\":\"%s\"}".formatted(job.path("job").asString()))
        .expect(200);
    tenant
        .post(
            worker + "/jobs",
            "{\"parent\":\"%s\",\"jobs\":[{\"id\":\"%s\",\"task\":\"other::task\"}]}"
                .formatted(job.path("job").asString(), UUID.randomUUID()))
        .expect(200);
    tenant
        .post(
            worker + "/outcomes",
            "{\"outcomes\":[{%s,\"outcome\":\"SUCCEEDED\"}]}".formatted(claim))
        .expect(200);
    tenant.delete(worker).expect(204);
  }

  private void packages(ApiClient tenant) throws Exception {
    TestPackage stock = new TestPackage(folder, "stock").version("1.0", "one");
    stock.push(tenant).expect(201);
    stock.push(tenant).expect(200);
    tenant.get(T + "/packages?name=stock").expect(200);
    tenant.get(T + "/packages/stock/versions/1.0").expect(200);
    tenant.delete(T + "/packages/stock/versions/1.0").expect(204);
    tenant.get(T + "/packages/stock/versions/1.0").expect(404, "PACKAGE_NOT_FOUND");
  }

  private static void keys(ApiClient tenant) {
    tenant.get("/v1/me").expect(200);
    String key =
        tenant
            .post(T + "/api-keys", "{\"name\":\"ci\",\"preset\":\"developer\"}")
            .expect(201)
            .text("id");
    tenant.get(T + "/api-keys").expect(200);
    tenant.get(T + "/api-keys/" + key).expect(200);
    tenant.post(T + "/api-keys/" + key + "/rotate", "{\"overlap\":\"PT1H\"}").expect(201);
    tenant.delete(T + "/api-keys/" + key).expect(204);
    tenant.get(T + "/settings").expect(200);
    tenant.send("PATCH", T + "/settings", "{\"keepHistory\":\"P30D\"}").expect(200);
    assertThat(tenant.get(T + "/audit?limit=5").expect(200).json().path("entries").size())
        .isEqualTo(5);
  }

  private static void installation(TestServer server, ApiClient admin) {
    server.newTenant("acme");
    admin.get("/v1/tenants").expect(200);
    admin.get("/v1/tenants/acme").expect(200);
    admin.post("/v1/tenants/acme/suspend").expect(200);
    admin.post("/v1/tenants/acme/jobs", "{\"task\":\"a\"}").expect(409, "TENANT_SUSPENDED");
    admin.post("/v1/tenants/acme/resume").expect(200);
    admin.delete("/v1/tenants/acme?force=true").expect(200);
    admin.post("/v1/tenants/acme/restore").expect(200);
    admin.delete("/v1/tenants/acme?force=true").expect(200);
    admin.get("/v1/audit").expect(200);
    JsonNode nodes = admin.get("/v1/nodes").expect(200).json().path("nodes");
    // Not the remote worker, which has deregistered.
    String node =
        nodes
            .valueStream()
            .map(each -> each.path("id").asString())
            .filter(id -> !id.contains(":"))
            .findFirst()
            .orElseThrow();
    admin.get("/v1/nodes/" + node).expect(200);
    admin
        .put("/v1/nodes/" + node + "/mode", "{\"mode\":\"disabled\",\"pattern\":\"no::*\"}")
        .expect(200);
    admin
        .put("/v1/nodes/" + node + "/mode", "{\"mode\":\"disabled\",\"pattern\":\"nor::*\"}")
        .expect(200);
    admin.delete("/v1/nodes/" + node + "/mode/overrides?pattern=no::*").expect(200);
    assertThat(admin.get("/v1/nodes/" + node).json().path("modeOverrides").propertyNames())
        .containsExactly("nor::*");
    admin.delete("/v1/nodes/" + node + "/mode/overrides?pattern=N%20o").expect(400);
    admin.delete("/v1/nodes/" + node + "/mode/overrides").expect(200);
    assertThat(admin.get("/v1/nodes/" + node).json().path("modeOverrides").isEmpty()).isTrue();
    admin.post("/v1/nodes/" + node + "/drain").expect(200);
    admin.put("/v1/nodes/" + node + "/mode", "{\"mode\":\"full\"}").expect(200);
    admin.get("/v1/leases?tenant=default").expect(200);
    String key = admin.post("/v1/api-keys", "{\"name\":\"second\"}").expect(201).text("id");
    admin.get("/v1/api-keys").expect(200);
    admin.get("/v1/api-keys/" + key).expect(200);
    admin.post("/v1/api-keys/" + key + "/rotate").expect(201);
    admin.delete("/v1/api-keys/" + key).expect(204);
    // The stream ends when the key expires.
    String soon = Instant.now().plusSeconds(5).toString();
    String shortly =
        admin
            .post("/v1/api-keys", "{\"name\":\"short\",\"expiresAt\":\"%s\"}".formatted(soon))
            .expect(201)
            .text("key");
    assertThat(admin.with(shortly).get("/v1/stream?topic=nodes").expect(200).response().body())
        .contains(node);
  }

  private static void stream(ApiClient tenant) {
    String run = start(tenant, "test::chain");
    awaitRun(tenant, run, "SUCCEEDED");
    String events = tenant.get(T + "/stream?topic=run:" + run).expect(200).response().body();
    assertThat(events).contains("\"kind\":\"CREATED\"").contains("\"kind\":\"ENDED\"");
  }
}
