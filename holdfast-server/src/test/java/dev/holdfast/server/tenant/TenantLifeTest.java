package dev.holdfast.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A tenant from its creation to the end of its grace period. */
class TenantLifeTest {
  private static final String CONTROL = "holdfast_control.";
  private static final String ACTIONS = "/v1/audit?limit=1&action=";
  private static TestServer server;
  private static ApiClient admin;

  @BeforeAll
  static void start() {
    // With a node: a run can only be started where its workflow is registered.
    server = new TestServer();
    admin = server.admin();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void execute(String sql) {
    try (var connection = server.database().connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private static long number(String sql) {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private static long schemas() {
    return number("select count(*) from pg_namespace where nspname like 'holdfast\\_t%'");
  }

  private static long id(String tenant) {
    return number("select max(id) from %stenant where name = '%s'".formatted(CONTROL, tenant));
  }

  private static void purge() {
    ((SchemaTenants) server.server().tenants()).purge();
  }

  private static JsonNode latest(String action) {
    return admin.get(ACTIONS + action).expect(200).json().at("/entries/0");
  }

  /** Whatever fails, and however late: here the audit entry, which is written last. */
  @Test
  void aTenantIsCreatedCompletelyOrNotAtAll() {
    long schemas = schemas();
    long keys = number("select count(*) from " + CONTROL + "api_key");
    execute(
        "alter table %saudit add constraint broken check (target is distinct from 'halfway')"
            .formatted(CONTROL));
    admin.post("/v1/tenants", "{\"name\":\"halfway\"}").expect(422, "REFUSED_BY_DATABASE");

    assertThat(schemas()).isEqualTo(schemas);
    assertThat(number("select count(*) from " + CONTROL + "api_key")).isEqualTo(keys);
    assertThat(number("select count(*) from %stenant where name = 'halfway'".formatted(CONTROL)))
        .isZero();
    admin.get("/v1/tenants/halfway").expect(404, "TENANT_NOT_FOUND");
    execute("alter table %saudit drop constraint broken".formatted(CONTROL));
    ApiClient created = server.newTenant("halfway");
    created.post("/v1/tenants/halfway/jobs", "{\"task\":\"a\"}").expect(201);
    assertThat(schemas()).isEqualTo(schemas + 1);
  }

  @Test
  void aTenantWithLiveWorkIsDeletedOnlyByForce() {
    ApiClient jobs = server.newTenant("has-jobs");
    jobs.post("/v1/tenants/has-jobs/jobs", "{\"task\":\"no::handler\"}").expect(201);
    assertThat(admin.delete("/v1/tenants/has-jobs").expect(409, "TENANT_IN_USE").text("detail"))
        .contains("0 open runs and 1 live jobs");

    ApiClient runs = server.newTenant("has-runs");
    String path = "/v1/tenants/has-runs/runs";
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(runs.post(path, "{\"workflow\":\"test::approval\"}").status())
                .isEqualTo(201));
    // It awaits a signal: no job of it exists.
    assertThat(runs.get("/v1/tenants/has-runs/jobs").json().path("jobs").size()).isZero();
    assertThat(admin.delete("/v1/tenants/has-runs").expect(409, "TENANT_IN_USE").text("detail"))
        .contains("1 open runs and 0 live jobs");
    runs.get(path).expect(200);
    admin.delete("/v1/tenants/has-runs?force=true").expect(200);
    runs.get(path).expect(401);
  }

  @Test
  void aDeletedTenantIsKeptForAGracePeriodAndThenDropped() {
    ApiClient gone = server.newTenant("gone");
    gone.post("/v1/tenants/gone/jobs", "{\"task\":\"a\",\"runIn\":\"PT1H\"}").expect(201);
    gone.post("/v1/tenants/gone/queues/private/pause", "{\"reason\":\"secret\"}").expect(200);
    String key = KeyText.parse(gone.key()).orElseThrow().id();
    gone.get("/v1/tenants/gone/api-keys/" + key).expect(200);
    String schema = "holdfast_t" + id("gone");
    String purgeAt = admin.delete("/v1/tenants/gone?force=true").expect(200).text("purgeAt");
    assertThat(Instant.parse(purgeAt)).isAfter(Instant.now().plus(Duration.ofDays(6)));
    gone.get("/v1/me").expect(401);

    purge();
    assertThat(number("select count(*) from " + schema + ".job")).as("kept").isEqualTo(1);
    admin.post("/v1/tenants", "{\"name\":\"gone\"}").expect(409, "TENANT_EXISTS");

    execute("update %stenant set purge_at = now() where name = 'gone'".formatted(CONTROL));
    long others = schemas() - 1;
    purge();
    assertThat(number("select count(*) from pg_namespace where nspname = '" + schema + "'"))
        .isZero();
    assertThat(schemas()).as("other tenants").isEqualTo(others);
    assertThat(latest("tenant.drop").path("target").asString()).isEqualTo("gone");
    admin.get("/v1/tenants/gone").expect(404, "TENANT_NOT_FOUND");
    gone.get("/v1/me").expect(401);

    // The name is free, and leads to nothing that was there before.
    ApiClient reused = server.newTenant("gone");
    assertThat(reused.get("/v1/tenants/gone/jobs").json().path("jobs").size()).isZero();
    assertThat(reused.get("/v1/tenants/gone/api-keys").json().path("keys").size()).isEqualTo(1);
    gone.get("/v1/tenants/gone/jobs").expect(401);
    reused.get("/v1/tenants/gone/api-keys/" + key).expect(404, "KEY_NOT_FOUND");
    reused.delete("/v1/tenants/gone/api-keys/" + key).expect(404, "KEY_NOT_FOUND");
    reused.post("/v1/tenants/gone/queues/own/pause").expect(200);
    for (String audit : List.of("/audit", "/audit/export", "/audit?action=queue.pause")) {
      assertThat(reused.get("/v1/tenants/gone" + audit).expect(200).response().body())
          .contains("own")
          .doesNotContain("private", "secret");
    }
  }

  /** Whatever uses its tables: here a transaction of somebody else, such as a dump. */
  @Test
  void aTenantThatCannotBeDroppedStopsNoOther() throws SQLException {
    for (String name : List.of("used", "unused")) {
      server.newTenant(name);
      admin.delete("/v1/tenants/" + name).expect(200);
      execute("update %stenant set purge_at = now() where name = '%s'".formatted(CONTROL, name));
    }
    try (var connection = server.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("lock table holdfast_t%d.job in access share mode".formatted(id("used")));
      purge();
      admin.get("/v1/tenants/used").expect(200);
      admin.get("/v1/tenants/unused").expect(404, "TENANT_NOT_FOUND");
      connection.rollback();
    }
    purge();
    admin.get("/v1/tenants/used").expect(404, "TENANT_NOT_FOUND");
  }

  /** Replays a request that another server admits after the look for live work. */
  @Test
  void aTenantThatGetsWorkWhileItIsDeletedIsNotDeleted() {
    ApiClient late = server.newTenant("late");
    execute(
        """
        create function %1$slate() returns trigger language plpgsql as $$ begin
          insert into holdfast_t%2$d.job
            (id, created_at, run_at, rank, priority, state, queue, task)
          values (gen_random_uuid(), now(), now(), now(), 0, 'READY', 'default', 'no::handler');
          return null;
        end $$;
        create trigger late after update on %1$stenant
        for each row when (new.id = %2$d and new.state = 'DELETING') execute function %1$slate()
        """
            .formatted(CONTROL, id("late")));
    admin.delete("/v1/tenants/late").expect(409, "TENANT_IN_USE");
    execute("drop trigger late on %1$stenant; drop function %1$slate()".formatted(CONTROL));

    JsonNode tenant = admin.get("/v1/tenants/late").expect(200).json();
    assertThat(tenant.path("state").asString()).isEqualTo("ACTIVE");
    assertThat(tenant.path("purgeAt").isNull()).isTrue();
    assertThat(late.get("/v1/tenants/late/jobs").expect(200).json().path("jobs").size()).isOne();
    late.post("/v1/tenants/late/jobs", "{\"task\":\"a\"}").expect(201);
    assertThat(latest("tenant.restore").path("target").asString()).isEqualTo("late");
  }

  @Test
  void aDeletedTenantIsRestoredUntilItIsDropped() {
    ApiClient back = server.newTenant("back");
    String job =
        back.post("/v1/tenants/back/jobs", "{\"task\":\"a\",\"runIn\":\"PT1H\"}")
            .expect(201)
            .text("id");
    admin.post("/v1/tenants/back/restore").expect(409, "TENANT_STATE");
    admin.delete("/v1/tenants/back?force=true").expect(200);
    back.get("/v1/me").expect(401);
    admin.post("/v1/tenants/back/resume").expect(404, "TENANT_NOT_FOUND");
    back.post("/v1/tenants/back/restore").expect(401);

    JsonNode restored = admin.post("/v1/tenants/back/restore").expect(200).json();
    assertThat(restored.path("state").asString()).isEqualTo("SUSPENDED");
    assertThat(restored.path("purgeAt").isNull()).isTrue();
    purge();
    back.get("/v1/tenants/back/jobs/" + job).expect(200);
    back.post("/v1/tenants/back/jobs", "{\"task\":\"a\"}").expect(409, "TENANT_SUSPENDED");
    back.post("/v1/tenants/back/restore").expect(403, "FORBIDDEN");
    JsonNode entry = latest("tenant.restore");
    assertThat(entry.at("/before/state").asString()).isEqualTo("DELETING");
    assertThat(entry.at("/after/state").asString()).isEqualTo("SUSPENDED");
    admin.post("/v1/tenants/back/resume").expect(200);
    back.post("/v1/tenants/back/jobs", "{\"task\":\"a\"}").expect(201);
    admin.post("/v1/tenants/nobody/restore").expect(404, "TENANT_NOT_FOUND");
  }

  @Test
  void aSuspendedTenantAcceptsNoWorkAndDropsNothing() {
    ApiClient ada = server.newTenant("ada");
    String job =
        ada.post("/v1/tenants/ada/jobs", "{\"task\":\"a\",\"runIn\":\"PT1H\"}")
            .expect(201)
            .text("id");
    admin.post("/v1/tenants/ada/suspend").expect(200);
    ada.post("/v1/tenants/ada/jobs", "{\"task\":\"a\"}").expect(409, "TENANT_SUSPENDED");
    ada.post("/v1/tenants/ada/runs", "{\"workflow\":\"test::chain\"}")
        .expect(409, "TENANT_SUSPENDED");
    ada.put("/v1/tenants/ada/schedules/s", "{\"task\":\"a\",\"every\":\"PT1H\"}")
        .expect(409, "TENANT_SUSPENDED");
    ada.post("/v1/tenants/ada/events", "{\"event\":\"e\"}").expect(409, "TENANT_SUSPENDED");
    purge();
    ada.get("/v1/tenants/ada/jobs/" + job).expect(200);
    admin.post("/v1/tenants/ada/suspend").expect(409, "TENANT_STATE");
    JsonNode entry =
        ada.get("/v1/tenants/ada/audit?limit=1&action=tenant.suspend").json().at("/entries/0");
    assertThat(entry.path("target").asString()).isEqualTo("ada");
    assertThat(entry.at("/before/state").asString()).isEqualTo("ACTIVE");
    assertThat(entry.at("/after/state").asString()).isEqualTo("SUSPENDED");
    admin.post("/v1/tenants/ada/resume").expect(200);
    purge();
    ada.post("/v1/tenants/ada/jobs", "{\"task\":\"a\"}").expect(201);
  }

  @Test
  void aChangeOfSettingsIsAuditedWithBeforeAndAfter() {
    ApiClient bob = server.newTenant("bob");
    admin
        .send("PATCH", "/v1/tenants/bob/settings", "{\"weight\":3,\"keepHistory\":\"P2D\"}")
        .expect(200);
    JsonNode entry =
        bob.get("/v1/tenants/bob/audit?limit=1&action=tenant.configure").json().at("/entries/0");
    assertThat(entry.at("/before/weight").asInt()).isEqualTo(1);
    assertThat(entry.at("/after/weight").asInt()).isEqualTo(3);
    assertThat(entry.at("/after/keepHistory").asString()).isEqualTo("PT48H");
    // A tenant does not give itself a larger share, nor keeps half of a refused change.
    bob.send("PATCH", "/v1/tenants/bob/settings", "{\"weight\":9,\"keepHistory\":\"P3D\"}")
        .expect(403, "FORBIDDEN");
    JsonNode settings = bob.get("/v1/tenants/bob/settings").expect(200).json();
    assertThat(settings.path("weight").asInt()).isEqualTo(3);
    assertThat(settings.path("keepHistory").asString()).isEqualTo("PT48H");
  }
}
