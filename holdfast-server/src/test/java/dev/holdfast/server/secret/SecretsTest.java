package dev.holdfast.server.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Secrets of tenants on real servers: one for the API, one that runs jobs. */
class SecretsTest {
  private static final String T = "/v1/tenants/default";
  private static final String TABLE = "holdfast_control.task_secret";

  /** How a handler tells its secret. */
  record Ask(String secret, String how) {}

  private static final TaskType<Ask, Object> TELL =
      TaskType.of("secrets::tell", Ask.class, Object.class)
          .with(job -> job.retry(RetryPolicy.NEVER));

  static final TaskModule TELLER =
      binder ->
          binder.handle(
              TELL,
              (ask, context) -> {
                String value = context.secret(ask.secret());
                context.progress(1, 2, "Using " + value);
                return switch (ask.how()) {
                  case "length" -> value.length();
                  case "number" -> Map.of("pin", Long.parseLong(value));
                  case "throw" -> throw new IllegalStateException("Login failed with " + value);
                  default -> Map.of("whole", "It is " + value, "other", "kept");
                };
              });

  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api"));
    tenant = server.tenant();
    server.startAs(Map.of("mode", "worker,scheduler"), TELLER);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void set(ApiClient client, String in, String name, String value) {
    client
        .put("/v1/tenants/%s/secrets/%s".formatted(in, name), Json.write(Map.of("value", value)))
        .expect(200);
  }

  static JsonNode run(ApiClient client, String in, String secret, String how) {
    String jobs = "/v1/tenants/%s/jobs".formatted(in);
    String id =
        client
            .post(
                jobs,
                Json.write(
                    Map.of("task", TELL.name(), "payload", Map.of("secret", secret, "how", how))))
            .expect(201)
            .text("id");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            List.of("SUCCEEDED", "FAILED").contains(client.get(jobs + "/" + id).text("state")));
    return client.get(jobs + "/" + id).json();
  }

  private static void execute(TestServer on, String sql) throws SQLException {
    try (Connection connection = on.database().connect();
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sql)).isPositive();
    }
  }

  private static long count(TestServer on, String where) throws SQLException {
    try (Connection connection = on.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select count(*) from %s where %s".formatted(TABLE, where))) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void aHandlerGetsTheSecretAndWhatItReportsDoesNotContainIt() {
    String value = "pass \"word\"/äöü";
    set(tenant, "default", "smtp", value);

    JsonNode plain = run(tenant, "default", "smtp", "length");
    JsonNode told = run(tenant, "default", "smtp", "result");
    JsonNode failed = run(tenant, "default", "smtp", "throw");

    assertThat(plain.path("result").asInt()).isEqualTo(value.length());
    assertThat(told.at("/result/whole").asString()).isEqualTo("It is ***");
    assertThat(told.at("/result/other").asString()).isEqualTo("kept");
    assertThat(told.at("/progress/message").asString()).isEqualTo("Using ***");
    assertThat(failed.path("state").asString()).isEqualTo("FAILED");
    assertThat(failed.at("/failures/0/message").asString()).isEqualTo("Login failed with ***");
    assertThat(failed.at("/failures/0/stackTrace").asString())
        .contains("Login failed with ***")
        .doesNotContain("word");
  }

  @Test
  void aResultWhoseNumberIsASecretIsHiddenAsAWhole() {
    set(tenant, "default", "pin", "1234567890");
    assertThat(run(tenant, "default", "pin", "number").path("result").asString()).isEqualTo("***");
  }

  @Test
  void noRouteShowsAValueAndTheDatabaseHasNone() throws SQLException {
    set(tenant, "default", "shown", "visible-nowhere-1");
    set(tenant, "default", "shown", "visible-nowhere-2");
    String listed = tenant.get(T + "/secrets?limit=500").expect(200).response().body();
    assertThat(listed).contains("\"shown\"").doesNotContain("visible");
    assertThat(Json.parse(listed).path("secrets"))
        .anySatisfy(secret -> {
          assertThat(secret.path("name").asString()).isEqualTo("shown");
          assertThat(secret.path("version").asString()).isEqualTo("2");
        });
    assertThat(
            count(server, "position('visible'::bytea in ciphertext) > 0 or name like '%visible%'"))
        .isZero();
    String audit = tenant.get(T + "/audit?action=secret.set&target=shown").response().body();
    assertThat(Json.parse(audit).path("entries")).hasSize(2);
    assertThat(audit).doesNotContain("visible");
  }

  @Test
  void theSecretsOfATenantAreThoseOfItsHandlersOnly() {
    ApiClient acme = server.newTenant("acme");
    set(tenant, "default", "token", "of-tenant-default");
    set(acme, "acme", "token", "its acme");
    assertThat(run(acme, "acme", "token", "length").path("result").asInt()).isEqualTo(8);
    assertThat(run(tenant, "default", "token", "length").path("result").asInt()).isEqualTo(17);
    assertThat(failure(run(acme, "acme", "smtp", "length")))
        .isEqualTo("Secret 'smtp' does not exist: store it, or correct the name.");
    acme.get(T + "/secrets").expect(401);
    acme.put(T + "/secrets/token", "{\"value\":\"12345678\"}").expect(401);
  }

  private static String failure(JsonNode job) {
    assertThat(job.path("state").asString()).isEqualTo("FAILED");
    return job.at("/failures/0/message").asString();
  }

  @Test
  void aChangedAndADeletedSecretAreNoticedSoon() {
    set(tenant, "default", "changing", "first value");
    assertThat(run(tenant, "default", "changing", "length").path("result").asInt()).isEqualTo(11);
    set(tenant, "default", "changing", "another value");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(run(tenant, "default", "changing", "length").path("result").asInt())
                .isEqualTo(13));
    tenant.delete(T + "/secrets/changing").expect(200);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(run(tenant, "default", "changing", "length").path("state").asString())
                .isEqualTo("FAILED"));
  }

  @Test
  void aTamperedAndASwappedRowAreRefused() throws SQLException {
    set(tenant, "default", "tampered", "something else");
    set(tenant, "default", "cheap", "of little value");
    set(tenant, "default", "dear", "of great value");
    execute(
        server,
        "update %s set ciphertext = set_byte(ciphertext, 0, get_byte(ciphertext, 0) # 1) where name = 'tampered'"
            .formatted(TABLE));
    execute(
        server,
        "update %1$s a set nonce = b.nonce, ciphertext = b.ciphertext from %1$s b where a.name = 'cheap' and b.name = 'dear'"
            .formatted(TABLE));
    for (String name : List.of("tampered", "cheap")) {
      assertThat(failure(run(tenant, "default", name, "length")))
          .isEqualTo(
              "Secret '%s' of tenant 'default' cannot be decrypted, because its row was changed or copied outside of Holdfast: set it again."
                  .formatted(name));
    }
    set(tenant, "default", "cheap", "set again");
    assertThat(run(tenant, "default", "cheap", "length").path("result").asInt()).isEqualTo(9);
    execute(server, "delete from %s where name = 'tampered'".formatted(TABLE));
  }

  @Test
  void aRowOfAnotherTenantIsRefused() throws SQLException {
    ApiClient umbrella = server.newTenant("umbrella");
    set(tenant, "default", "moved", "belongs to default");
    execute(
        server,
        "insert into %1$s (tenant, name, key_id, nonce, ciphertext) select t.id, s.name, s.key_id, s.nonce, s.ciphertext from %1$s s, holdfast_control.tenant t where s.name = 'moved' and t.name = 'umbrella'"
            .formatted(TABLE));
    assertThat(failure(run(umbrella, "umbrella", "moved", "length")))
        .contains("cannot be decrypted");
  }

  @Test
  void whatIsNotValidIsRefusedWithoutBeingRepeated() {
    tenant.put(T + "/secrets/a%20b", "{\"value\":\"12345678\"}").expect(400);
    assertThat(tenant.put(T + "/secrets/short", "{\"value\":\"1234567\"}").expect(400).response())
        .satisfies(reply -> assertThat(reply.body()).doesNotContain("1234567"));
    tenant.put(T + "/secrets/long", Json.write(Map.of("value", "x".repeat(65_537)))).expect(400);
    tenant.put(T + "/secrets/none", "{}").expect(400);
    server
        .newKey("{\"name\":\"dev\",\"preset\":\"developer\"}")
        .put(T + "/secrets/x", "{\"value\":\"12345678\"}")
        .expect(403);
    tenant.post("/v1/secrets/rotate").expect(403);
  }

  @Test
  void withoutAMasterKeyNothingIsStoredAndJobsSayWhatIsMissing() {
    try (TestServer none = new TestServer(Map.of("secrets.key", "", "mode", "api"))) {
      none.startAs(Map.of("secrets.key", "", "mode", "worker"), TELLER);
      none.tenant()
          .put(T + "/secrets/x", "{\"value\":\"12345678\"}")
          .expect(409, "SECRETS_NOT_CONFIGURED");
      none.admin().post("/v1/secrets/rotate").expect(409, "SECRETS_NOT_CONFIGURED");
      assertThat(failure(run(none.tenant(), "default", "x", "length")))
          .isEqualTo("This server has no secrets: configure secrets.key or secrets.keyFile.");
    }
  }

  @Test
  void aServerWithAnotherMasterKeyNamesTheMissingOne() {
    try (TestServer other = new TestServer(Map.of("mode", "api"))) {
      set(other.tenant(), "default", "x", "some value");
      HoldfastServer wrong =
          other.startAs(Map.of("mode", "worker", "secrets.key", RotationTest.NEW_KEY), TELLER);
      assertThat(failure(run(other.tenant(), "default", "x", "length")))
          .isEqualTo(
              "Secret 'x' of tenant 'default' is encrypted with master key %s, which this server does not have: configure it as secrets.key or secrets.oldKey."
                  .formatted(MasterKey.parse(TestServer.MASTER_KEY).id()));
      assertThat(wrong.routes()).isNotEmpty();
    }
  }
}
