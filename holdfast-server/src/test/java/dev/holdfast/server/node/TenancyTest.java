package dev.holdfast.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many tenants on one node: one heartbeat, work found by hints, takeover through holds. */
class TenancyTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String CONTROL = "holdfast_control.";

  private static long number(TestServer server, String sql) {
    try (Connection connection =
            DriverManager.getConnection(
                server.database().jdbcUrl(),
                server.database().user(),
                server.database().password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private static void execute(TestServer server, String... sql) {
    try (Connection connection =
            DriverManager.getConnection(
                server.database().jdbcUrl(),
                server.database().user(),
                server.database().password());
        Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    } catch (SQLException failure) {
      throw new AssertionError(String.join("; ", sql), failure);
    }
  }

  private static long tenantId(TestServer server, String name) {
    return number(server, "select id from holdfast_control.tenant where name = '" + name + "'");
  }

  private static String enqueue(ApiClient client, String tenant, String body) {
    return client.post("/v1/tenants/" + tenant + "/jobs", body).expect(201).text("id");
  }

  private static void awaitState(ApiClient client, String tenant, String job, String state) {
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(client.get("/v1/tenants/" + tenant + "/jobs/" + job).text("state"))
                .isEqualTo(state));
  }

  @Test
  void allTenantsShareOneHeartbeat() {
    try (TestServer server = new TestServer(Map.of("nodeTimeout", "PT6S"))) {
      Map<String, ApiClient> clients = new TreeMap<>();
      for (String name : List.of("ada", "bob", "cyd")) {
        clients.put(name, server.newTenant(name));
      }
      clients.forEach((name, client) ->
          awaitState(
              client, name, enqueue(client, name, "{\"task\":\"test::echo\"}"), "SUCCEEDED"));
      long before = number(server, "select sum(beat) from " + CONTROL + "node");
      await()
          .atMost(SOON)
          .until(() -> number(server, "select sum(beat) from " + CONTROL + "node") >= before + 2);
      assertThat(number(server, "select count(*) from " + CONTROL + "node")).isEqualTo(1);
      for (String name : clients.keySet()) {
        String schema = "holdfast_t" + tenantId(server, name);
        assertThat(number(server, "select sum(beat) from " + schema + ".node"))
            .as("heartbeats in tenant %s", name)
            .isZero();
        assertThat(
                number(
                    server,
                    "select count(*) from %shold where tenant = %d"
                        .formatted(CONTROL, tenantId(server, name))))
            .isEqualTo(1);
      }
    }
  }

  @Test
  void aTenantWithoutWorkIsLeftAndItsLaterWorkIsFound() {
    try (TestServer server = new TestServer(Map.of("tenantIdle", "PT2S"))) {
      ApiClient ada = server.newTenant("ada");
      long tenant = tenantId(server, "ada");
      String active =
          "select count(*) from %shold where tenant = %d and active".formatted(CONTROL, tenant);
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      String later = enqueue(ada, "ada", "{\"task\":\"test::echo\",\"runIn\":\"PT12S\"}");
      await().atMost(SOON).until(() -> number(server, active) == 0);
      assertThat(
              number(
                  server,
                  "select count(*) from holdfast_t%d.node where state = 'ALIVE'".formatted(tenant)))
          .as("it keeps its declarations and can be seen")
          .isEqualTo(1);
      assertThat(ada.get("/v1/tenants/ada/jobs/" + later).text("state")).isEqualTo("SCHEDULED");
      assertThat(
              number(
                  server,
                  "select count(*) from %shint where tenant = %d and kind = 'T'"
                      .formatted(CONTROL, tenant)))
          .as("hints for what falls due")
          .isEqualTo(1);
      awaitState(ada, "ada", later, "SUCCEEDED");
      await().atMost(SOON).until(() -> number(server, active) == 0);
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
    }
  }

  @Test
  void jobsOfAKilledServerRunElsewhereInAllTenants() throws Exception {
    try (TestServer api = new TestServer(Map.of("mode", "api"));
        Program victim = new Program(api)) {
      ApiClient ada = api.newTenant("ada");
      ApiClient bob = api.newTenant("bob");
      String one = enqueue(ada, "ada", "{\"task\":\"test::block\"}");
      String two = enqueue(bob, "bob", "{\"task\":\"test::block\"}");
      victim.awaitLine(ServerProgram.STARTED);
      victim.awaitLine(ServerProgram.STARTED);
      api.start(Map.of("mode", "worker,scheduler", "nodeTimeout", "PT4S"));
      api.tasks().release.release(2);
      assertThat(ada.get("/v1/tenants/ada/jobs/" + one).text("state")).isEqualTo("RUNNING");
      victim.kill();
      awaitState(ada, "ada", one, "SUCCEEDED");
      awaitState(bob, "bob", two, "SUCCEEDED");
      assertThat(number(api, "select count(*) from " + CONTROL + "node where death = 'SILENCE'"))
          .isEqualTo(1);
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThat(
                      number(
                          api,
                          """
                          select count(*) from holdfast_control.hold h
                          join holdfast_control.node n on n.incarnation = h.process
                          where n.state = 'DEAD'
                          """))
                  .as("holds of the dead")
                  .isZero());
    }
  }

  @Test
  void aServerThatWasPausedStartsOverInAllTenants() throws Exception {
    try (TestServer api = new TestServer(Map.of("mode", "api"));
        Program paused = new Program(api)) {
      ApiClient ada = api.newTenant("ada");
      ApiClient bob = api.newTenant("bob");
      String one = enqueue(ada, "ada", "{\"task\":\"test::block\"}");
      String two = enqueue(bob, "bob", "{\"task\":\"test::block\"}");
      paused.awaitLine(ServerProgram.STARTED);
      paused.awaitLine(ServerProgram.STARTED);
      var other = api.start(Map.of("mode", "worker,scheduler", "nodeTimeout", "PT4S"));
      paused.signal("STOP");
      api.tasks().started.acquire(2); // The other server runs both.
      paused.signal("CONT");
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThat(
                      number(
                          api,
                          "select count(*) from holdfast_control.node where state = 'ALIVE' and"
                              + " 'worker' = any(roles)"))
                  .as("it has registered again")
                  .isEqualTo(2));
      api.tasks().release.release(2);
      awaitState(ada, "ada", one, "SUCCEEDED");
      awaitState(bob, "bob", two, "SUCCEEDED");
      other.close();
      // Whatever the paused server did after it woke up, it works again.
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
    }
  }

  @Test
  void aServerThatStopsLeavesNothingBehind() {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      ApiClient ada = api.newTenant("ada");
      var worker = api.start(Map.of("mode", "worker"));
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      worker.close();
      String holdsOfWorkers =
          """
          select count(*) from holdfast_control.hold h
          join holdfast_control.node n on n.incarnation = h.process
          where 'worker' = any(n.roles)
          """;
      assertThat(number(api, holdsOfWorkers)).isZero();
      assertThat(
              number(
                  api,
                  "select count(*) from holdfast_t%d.node where state = 'ALIVE'"
                      .formatted(tenantId(api, "ada"))))
          .isZero();
      assertThat(
              number(
                  api,
                  "select count(*) from holdfast_control.node where state = 'ALIVE' and 'worker' ="
                      + " any(roles)"))
          .isZero();
      api.server().close();
      assertThat(number(api, "select count(*) from " + CONTROL + "hold")).isZero();
      assertThat(number(api, "select count(*) from " + CONTROL + "node where state = 'ALIVE'"))
          .isZero();
    }
  }

  @Test
  void aServerThatOnlyServesTheApiIsListedAsANode() {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      var nodes = api.admin().get("/v1/nodes").expect(200).json().get("nodes");
      assertThat(nodes).hasSize(1);
      assertThat(nodes.get(0).get("roles")).extracting(role -> role.asString()).contains("api");
      assertThat(nodes.get(0).get("alive").asBoolean()).isTrue();
      assertThat(nodes.get(0).get("capacity").asInt()).isZero();
    }
  }

  @Test
  void aTenantAtItsLimitContinuesWhenJobsEnd() throws Exception {
    try (TestServer server = new TestServer()) {
      ApiClient ada = server.newTenant("ada");
      server.admin().send("PATCH", "/v1/tenants/ada/settings", "{\"maxHeld\":3}").expect(200);
      for (int i = 0; i < 12; i++) {
        enqueue(ada, "ada", "{\"task\":\"test::block\"}");
      }
      server.tasks().started.acquire(3);
      assertThat(
              number(
                  server,
                  "select count(*) from holdfast_t%d.job where state in ('CLAIMED', 'RUNNING')"
                      .formatted(tenantId(server, "ada"))))
          .isEqualTo(3);
      server.tasks().release.release(12);
      assertThat(server.tasks().started.tryAcquire(9, 60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aServerWorksOnlyForTheTenantsItNames() {
    try (TestServer api = new TestServer(Map.of("mode", "api"))) {
      ApiClient ada = api.newTenant("ada");
      ApiClient bob = api.newTenant("bob");
      api.start(Map.of("mode", "worker,scheduler", "tenants", "bob,none"));
      String notServed = enqueue(ada, "ada", "{\"task\":\"test::echo\"}");
      awaitState(bob, "bob", enqueue(bob, "bob", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      assertThat(ada.get("/v1/tenants/ada/jobs/" + notServed).text("state")).isEqualTo("READY");
      api.start(Map.of("mode", "worker", "tenants", "ada"));
      awaitState(ada, "ada", notServed, "SUCCEEDED");
    }
  }

  @Test
  void longJobsOfOneTenantLeaveSlotsToTheOthers() throws Exception {
    try (TestServer server = new TestServer(Map.of("concurrency", "10", "queues", "default=100"))) {
      ApiClient ada = server.newTenant("ada");
      ApiClient bob = server.newTenant("bob");
      for (int i = 0; i < 20; i++) {
        enqueue(ada, "ada", "{\"task\":\"test::block\"}");
      }
      server.tasks().started.acquire(9);
      awaitState(bob, "bob", enqueue(bob, "bob", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      assertThat(server.tasks().started.tryAcquire()).as("the reserve stays closed").isFalse();
    }
  }

  @Test
  void aSuspendedTenantIsLeftAndAResumedOneContinues() {
    try (TestServer server = new TestServer()) {
      ApiClient ada = server.newTenant("ada");
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      String later = enqueue(ada, "ada", "{\"task\":\"test::echo\",\"runIn\":\"PT3S\"}");
      server.admin().post("/v1/tenants/ada/suspend", "{}").expect(200);
      await()
          .atMost(SOON)
          .until(() ->
              number(
                      server,
                      "select count(*) from holdfast_t%d.job where run_at < now() - interval '2 s'"
                          .formatted(tenantId(server, "ada")))
                  == 1);
      assertThat(ada.get("/v1/tenants/ada/jobs/" + later).text("state")).isEqualTo("SCHEDULED");
      server.admin().post("/v1/tenants/ada/resume", "{}").expect(200);
      awaitState(ada, "ada", later, "SUCCEEDED");
    }
  }

  @Test
  void aTenantThatCannotBeMigratedStopsNoOther() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      ApiClient ada = server.newTenant("ada");
      server.newTenant("bob");
      long broken = tenantId(server, "bob");
      execute(
          server,
          "alter table holdfast_t%d.schema_version rename to renamed".formatted(broken),
          "update holdfast_control.tenant set schema_version = 1");
      var worker = server.start(Map.of("mode", "worker,scheduler"));
      awaitState(ada, "ada", enqueue(ada, "ada", "{\"task\":\"test::echo\"}"), "SUCCEEDED");
      String failed =
          "select count(*) from holdfast_control.tenant where migration_error is not null";
      await().atMost(SOON).until(() -> number(server, failed) == 1);
      String old = "select count(*) from holdfast_control.tenant where schema_version = 1";
      await().atMost(SOON).until(() -> number(server, old) == 1);
      worker.close();
      // What was half done is not there.
      assertThat(number(server, "select count(*) from holdfast_t%d.renamed".formatted(broken)))
          .isPositive();
      execute(
          server,
          "alter table holdfast_t%d.renamed rename to schema_version".formatted(broken),
          "update holdfast_control.tenant set retry_at = null");
      server.start(Map.of("mode", "worker"));
      await().atMost(SOON).until(() -> number(server, old) == 0);
    }
  }

  /** A server in its own process. */
  private static final class Program implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;
    private final List<String> said = new ArrayList<>();

    Program(TestServer server) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ServerProgram.class.getName(),
                  "port=0",
                  "mode=worker,scheduler",
                  "nodeTimeout=PT4S",
                  "queues=default=5",
                  "database.url=" + server.database().jdbcUrl(),
                  "database.user=" + server.database().user(),
                  "database.password=" + server.database().password())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      lines = process.inputReader(UTF_8);
      awaitLine(ServerProgram.READY);
    }

    void awaitLine(String wanted) throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
        if (line.equals(wanted)) {
          return;
        }
      }
      throw new AssertionError("The server ended without " + wanted + ": " + said);
    }

    void signal(String name) throws IOException, InterruptedException {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    void kill() throws InterruptedException {
      process.destroyForcibly();
      process.waitFor();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
