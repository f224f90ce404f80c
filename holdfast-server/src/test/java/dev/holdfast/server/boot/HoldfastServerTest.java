package dev.holdfast.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import dev.holdfast.server.testing.TestTasks;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers as a whole: first start, restart, modes, draining, and a database that is unavailable.
 */
class HoldfastServerTest {
  private static final String T = "/v1/tenants/default";

  private static ServerConfig config(Map<String, String> flags) {
    Map<String, String> all = new HashMap<>(Map.of("port", "0", "drain", "PT1S"));
    all.putAll(flags);
    return Configuration.read(null, Map.of(), all).server();
  }

  @Test
  void theFirstStartCreatesKeysAndARestartKeepsThemAndTheData(@TempDir Path folder) {
    ServerConfig config = config(Map.of("dataDir", folder.toString(), "mode", "api"));
    String key;
    String admin;
    String job;
    try (HoldfastServer server = HoldfastServer.start(config, List.of())) {
      key = server.firstKeys().tenant();
      admin = server.firstKeys().admin();
      assertThat(key).startsWith("holdfast_live_default_");
      assertThat(admin).startsWith("holdfast_live_admin_");
      job =
          new ApiClient(server.url(), key)
              .post(T + "/jobs", "{\"task\":\"a\"}")
              .expect(201)
              .text("id");
    }
    try (HoldfastServer server = HoldfastServer.start(config, List.of())) {
      assertThat(server.firstKeys().isEmpty()).isTrue();
      new ApiClient(server.url(), key).get(T + "/jobs/" + job).expect(200);
      new ApiClient(server.url(), admin).get("/v1/tenants").expect(200);
    }
  }

  @Test
  void anAdminKeyCanBeConfigured() {
    String own = KeyText.create("live", KeyText.INSTALLATION).text();
    try (TestServer server = new TestServer(Map.of("mode", "api", "adminKey", own))) {
      assertThat(server.adminKey()).isNull();
      new ApiClient(server.server().url(), own).get("/v1/tenants").expect(200);
    }
    assertThatThrownBy(() -> new TestServer(Map.of("mode", "api", "adminKey", "secret-word")))
        .hasMessageContaining("adminKey")
        .hasMessageNotContaining("secret-word");
  }

  @Test
  void aServerRefusesTenantsThatANewerVersionHasMigrated() throws SQLException {
    try (TestServer newer = new TestServer(Map.of("mode", "api"))) {
      try (Connection connection = newer.database().connect();
          Statement statement = connection.createStatement()) {
        statement.execute("update holdfast_control.tenant set schema_version = 900");
      }

      assertThatThrownBy(() -> newer.start(Map.of("mode", "api")))
          .hasMessageContaining("Schema holdfast_t1 has version 900, which a newer version")
          .hasMessageContaining("upgrade this program");
      newer.tenant().get(T + "/jobs").expect(200); // Those that run are not affected.
    }
  }

  @Test
  void aWorkerAndAnApiServerWorkTogether() {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      HoldfastServer worker = api.start(Map.of("mode", "worker,scheduler"));
      assertThat(worker.firstKeys().isEmpty()).isTrue();
      ApiClient probes = new ApiClient(worker.url(), api.tenantKey());
      probes.get("/ready").expect(200);
      assertThat(probes.get("/metrics").expect(200).response().body())
          .contains("holdfast_", "jvm_");
      assertThat(probes.raw("GET", "/v1/me", null).status()).isEqualTo(404);
      // The worker opens a tenant that the API server creates while both run.
      ApiClient acme = api.newTenant("acme");
      String run =
          acme.post("/v1/tenants/acme/jobs", "{\"task\":\"test::echo\",\"payload\":5}")
              .expect(201)
              .text("id");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(acme.get("/v1/tenants/acme/jobs/" + run).text("state"))
                  .isEqualTo("SUCCEEDED"));
    }
  }

  @Test
  void aRunOfTheServersWorkflowsStartsBeforeANodeHasRegisteredThem() {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      ApiClient acme = api.newTenant("acme");

      String started = "{\"workflow\":\"test::approval\"}";
      api.tenant().post(T + "/runs", started).expect(201);
      acme.post("/v1/tenants/acme/runs", started).expect(201);

      Reply unknown =
          acme.post("/v1/tenants/acme/runs", "{\"workflow\":\"test::none\"}").expect(404);
      assertThat(unknown.text("code")).isEqualTo("WORKFLOW_NOT_FOUND");
    }
  }

  @Test
  void modulesOnTheClassPathAreInstalled() {
    try (TestServer api = new TestServer(Map.of("mode", "api"));
        HoldfastServer worker = HoldfastServer.start(api.config(Map.of("mode", "worker")))) {
      assertThat(worker.firstKeys().isEmpty()).isTrue();
      String job =
          api.tenant()
              .post(T + "/jobs", "{\"task\":\"found::greet\",\"payload\":\"Ada\"}")
              .expect(201)
              .text("id");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(api.tenant().get(T + "/jobs/" + job).text("result"))
                  .isEqualTo("Hello Ada"));
    }
  }

  @Test
  void aSchedulerRunsNoJobs() {
    try (TestServer server = new TestServer(Map.of("mode", "api,scheduler"))) {
      String job =
          server
              .tenant()
              .post(T + "/jobs", "{\"task\":\"test::echo\",\"runIn\":\"PT0.2S\"}")
              .text("id");
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> {
            Reply reply = server.tenant().get(T + "/jobs/" + job);
            assertThat(reply.text("state")).isEqualTo("READY");
            assertThat(reply.json().at("/why/0/code").asString()).isEqualTo("MODE_FORBIDS");
          });
    }
  }

  @Test
  void aServerThatDrainsLetsRunningJobsFinish() throws Exception {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      HoldfastServer worker = api.start(Map.of("mode", "worker", "drain", "PT30S"));
      String job =
          api.tenant().post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201).text("id");
      api.tasks().started.acquire();
      Thread closing = Thread.ofPlatform().start(worker::close);
      assertThat(closing.join(Duration.ofMillis(500))).as("waits for the job").isFalse();
      assertThat(api.tenant().get(T + "/jobs/" + job).text("state")).isEqualTo("RUNNING");
      api.tasks().release.release();
      assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
      assertThat(api.tenant().get(T + "/jobs/" + job).text("state")).isEqualTo("SUCCEEDED");
    }
  }

  @Test
  void probesAndMetricsShowADrain() throws Exception {
    try (TestServer server = new TestServer(Map.of("drain", "PT5M"))) {
      ApiClient tenant = server.tenant();
      tenant.post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201);
      server.tasks().started.acquire();
      tenant.get("/ready").expect(200);
      Thread closing = Thread.ofPlatform().start(server.server()::close);
      await().atMost(Duration.ofSeconds(30)).until(() -> tenant.get("/ready").status() == 503);
      assertThat(tenant.get("/ready").response().body()).contains("The server is stopping.");
      tenant.get("/health").expect(200);
      assertThat(tenant.get("/metrics").expect(200).response().body())
          .containsPattern("holdfast_workers_active(\\{[^}]*})? 1\\.0");
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> {
            Reply refused = tenant.get(T + "/jobs").expect(503, "STOPPING");
            assertThat(refused.header("Retry-After")).isEqualTo("2");
          });
      assertThat(closing.isAlive()).as("waits for the job").isTrue();
      server.tasks().release.release();
      assertThat(closing.join(Duration.ofSeconds(60))).isTrue();
      assertThatThrownBy(() -> tenant.get("/health")).hasMessageContaining("/health");
    }
  }

  @Test
  void aServerThatStopsServesWhatHasArrived() throws Exception {
    try (TestServer server = new TestServer(Map.of("mode", "api", "drain", "PT1M"));
        var connection = server.database().connect();
        var statement = connection.createStatement()) {
      ApiClient tenant = server.tenant();
      tenant.post(T + "/jobs", "{\"task\":\"a\"}").expect(201);
      connection.setAutoCommit(false);
      statement.execute("lock table holdfast_t1.job in access exclusive mode");
      CompletableFuture<Reply> waiting =
          CompletableFuture.supplyAsync(() -> tenant.post(T + "/jobs", "{\"task\":\"a\"}"));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> {
            try (var rows =
                statement.executeQuery(
                    "select count(*) from pg_locks where relation = 'holdfast_t1.job'::regclass"
                        + " and not granted")) {
              return rows.next() && rows.getInt(1) > 0;
            }
          });
      Thread closing = Thread.ofPlatform().start(server.server()::close);
      await().atMost(Duration.ofSeconds(30)).until(() -> tenant.get("/ready").status() == 503);
      assertThat(waiting).isNotDone();
      connection.rollback();
      waiting.get(30, TimeUnit.SECONDS).expect(201);
      assertThat(closing.join(Duration.ofSeconds(60))).isTrue();
    }
  }

  @Test
  void aServerThatIsToldToStopNowGivesItsJobsBack() throws Exception {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      HoldfastServer worker = api.start(Map.of("mode", "worker", "drain", "PT1H"));
      String job =
          api.tenant().post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201).text("id");
      api.tasks().started.acquire();
      Thread closing = Thread.ofPlatform().start(worker::close);
      assertThat(closing.join(Duration.ofMillis(300))).isFalse();
      worker.stopNow();
      assertThat(closing.join(Duration.ofSeconds(40))).as("stops at once").isTrue();
      assertThat(api.tenant().get(T + "/jobs/" + job).text("state")).isEqualTo("READY");
    }
  }

  @Test
  void aDatabaseThatIsAwayIs503AndComesBack() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary().start()) {
      postgres.createDatabase("app");
      Map<String, String> flags =
          Map.of(
              "mode", "api",
              "database.url", postgres.jdbcUrl("app"),
              "database.user", postgres.user(),
              "database.password", postgres.password());
      try (HoldfastServer server = HoldfastServer.start(config(flags), List.of(new TestTasks()))) {
        ApiClient tenant = new ApiClient(server.url(), server.firstKeys().tenant());
        tenant.get(T + "/jobs").expect(200);
        postgres.stop();
        Reply away = tenant.get(T + "/jobs").expect(503, "DATABASE_UNAVAILABLE");
        assertThat(away.header("Retry-After")).isEqualTo("1");
        assertThat(away.response().body()).doesNotContain("postgres", "Exception");
        tenant.get("/health").expect(200);
        tenant.get("/ready").expect(503);
        postgres.restart();
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertThat(tenant.get(T + "/jobs").status()).isEqualTo(200));
      }
    }
  }

  @Test
  void aPortThatIsTakenFailsTheStartAndNothingKeepsRunning() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      String port = String.valueOf(server.server().url().getPort());
      assertThatThrownBy(() -> server.start(Map.of("mode", "all", "port", port)))
          .hasMessageContaining("Port " + port);
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() ->
              assertThat(server.admin().get("/v1/nodes").json().path("nodes"))
                  .filteredOn(node -> node.path("alive").asBoolean())
                  .as("only the server that has the port")
                  .hasSize(1)
                  .allSatisfy(
                      node -> assertThat(node.path("roles").toString()).isEqualTo("[\"api\"]")));
    }
  }
}
