package dev.holdfast.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a start costs when there are many tenants, and what it does not interrupt. */
class RestartTest {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final String TENANT = "holdfast_control.tenant";
  private static final TaskType<Object, Void> NEW = TaskType.of("restart::task", Object.class);

  /** A module that has another workflow. */
  private static final TaskModule CHANGED =
      binder ->
          binder
              .handle(NEW, (payload, context) -> {})
              .workflow(
                  Workflow.define(
                      "restart::flow", Object.class, flow -> flow.step("only", NEW, flow.input())));

  private static long number(TestServer server, String sql) {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private static void execute(TestServer server, String... sql) {
    try (var connection = server.database().connect();
        var statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    } catch (SQLException failure) {
      throw new AssertionError(String.join("; ", sql), failure);
    }
  }

  private static String schema(TestServer server, String tenant) {
    return "holdfast_t"
        + number(server, "select id from %s where name = '%s'".formatted(TENANT, tenant));
  }

  /** How many servers have ever entered these tenants. */
  private static long entered(TestServer server, String... tenants) {
    long all = 0;
    for (String tenant : tenants) {
      all += number(server, "select count(*) from %s.node".formatted(schema(server, tenant)));
    }
    return all;
  }

  private static void awaitRegistered(TestServer server, int tenants) {
    String sql = "select count(distinct modules) * count(modules) from " + TENANT;
    await().atMost(SOON).until(() -> number(server, sql) == tenants);
  }

  private static void runJob(TestServer server) {
    ApiClient client = server.tenant();
    String path = "/v1/tenants/default/jobs";
    String job = client.post(path, "{\"task\":\"test::echo\"}").expect(201).text("id");
    await()
        .atMost(SOON)
        .until(() -> client.get(path + "/" + job).text("state").equals("SUCCEEDED"));
  }

  private static TaskModule flow(String step) {
    return binder ->
        binder
            .handle(NEW, (payload, context) -> {})
            .workflow(
                Workflow.define(
                    "restart::upgraded", Object.class, flow -> flow.step(step, NEW, flow.input())));
  }

  /** Starts a run by name on one of several API servers, and returns its only step. */
  private static String started(TestServer server, HoldfastServer on) {
    ApiClient client = new ApiClient(on.url(), server.tenantKey());
    String path = "/v1/tenants/default/runs";
    String run = client.post(path, "{\"workflow\":\"restart::upgraded\"}").expect(201).text("id");
    return client.get(path + "/" + run).expect(200).json().at("/steps/0/name").asString();
  }

  @Test
  void aStartByNameUsesTheNewestGraphDuringAnUpgrade() {
    Map<String, String> api = Map.of("mode", "api");
    try (TestServer server = new TestServer(api)) {
      HoldfastServer old = server.startAs(api, flow("old"));
      assertThat(started(server, old)).isEqualTo("old");
      HoldfastServer upgraded = server.startAs(api, flow("new"));
      assertThat(started(server, upgraded)).as("before a node registers it").isEqualTo("new");
      assertThat(started(server, old)).as("not yet upgraded").isEqualTo("new");
      // One that has not started a run before.
      assertThat(started(server, server.startAs(api, flow("old")))).isEqualTo("new");
      assertThat(started(server, upgraded)).isEqualTo("new");
    }
  }

  @Test
  void aRestartWithTheSameModulesEntersNoTenantAndAChangedModuleAll() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      server.newTenant("ada");
      server.newTenant("bob");
      HoldfastServer first = server.start(Map.of("mode", "worker,scheduler", "tenantIdle", "PT1S"));
      awaitRegistered(server, 3);
      // A server that stops while it works in a tenant leaves a hint for the next one.
      String working = "select count(*) from holdfast_control.hold where active";
      await().atMost(SOON).until(() -> number(server, working) == 0);
      long before = entered(server, "ada", "bob");
      assertThat(before).isEqualTo(2);
      first.close();

      HoldfastServer second = server.start(Map.of("mode", "worker,scheduler"));
      runJob(server); // It works, and has looked for tenants to enter before.
      assertThat(entered(server, "ada", "bob")).isEqualTo(before);

      try (HoldfastServer changed =
          HoldfastServer.start(
              server.config(Map.of("mode", "worker,scheduler")),
              List.of(server.tasks(), CHANGED))) {
        assertThat(changed.firstKeys().isEmpty()).isTrue();
        for (String tenant : List.of("ada", "bob")) {
          String known =
              "select count(*) from %s.workflow_definition where name = 'restart::flow'"
                  .formatted(schema(server, tenant));
          await().atMost(SOON).until(() -> number(server, known) == 1);
        }
        // The other server declares its schedules too, now that it is not the only program.
        await().atMost(SOON).until(() -> entered(server, "ada", "bob") == before + 4);
      }
      second.close();
    }
  }

  @Test
  void tenantsAreMigratedWhileTheServerServes() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      ApiClient ada = server.newTenant("ada");
      ApiClient bob = server.newTenant("bob");
      // The migration of bob takes until there is a row in table go.
      execute(
          server,
          "create table go (done int)",
          """
          create function wait_for_go() returns trigger language plpgsql as $$
          begin
            while not exists (select from public.go) loop perform pg_sleep(0.02); end loop;
            return new;
          end $$
          """,
          "update %s set schema_version = 1".formatted(TENANT),
          """
          create trigger slow before update of schema_version on %s for each row
          when (new.name = 'bob') execute function wait_for_go()
          """
              .formatted(TENANT));
      HoldfastServer upgraded = server.start(Map.of("mode", "all"));

      assertThat(
              number(
                  server,
                  "select count(*) from %s where name = 'bob' and schema_version = 1 and migration_error is null"
                      .formatted(TENANT)))
          .as("the start did not wait for it")
          .isEqualTo(1);
      ApiClient adas = new ApiClient(upgraded.url(), ada.key());
      ApiClient bobs = new ApiClient(upgraded.url(), bob.key());
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(adas.get("/v1/tenants/ada/jobs").status()).isEqualTo(200));
      assertThat(
              bobs.get("/v1/tenants/bob/jobs")
                  .expect(503, "TENANT_MIGRATING")
                  .header("Retry-After"))
          .isEqualTo("2");
      adas.get("/ready").expect(200);
      execute(server, "insert into go values (1)");
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(bobs.get("/v1/tenants/bob/jobs").status()).isEqualTo(200));
      // And its work is done.
      String job =
          bobs.post("/v1/tenants/bob/jobs", "{\"task\":\"test::echo\"}").expect(201).text("id");
      await()
          .atMost(SOON)
          .until(() -> bobs.get("/v1/tenants/bob/jobs/" + job).text("state").equals("SUCCEEDED"));
    }
  }
}
