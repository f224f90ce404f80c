package dev.holdfast.server.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A new master key, on real servers. */
class RotationTest {
  static final String NEW_KEY = "YW5vdGhlciBtYXN0ZXIga2V5IHdpdGggMzIgYnl0ZXM=";
  private static final String T = "/v1/tenants/default";
  private static final String OLD_ID = MasterKey.parse(TestServer.MASTER_KEY).id();
  private static final String NEW_ID = MasterKey.parse(NEW_KEY).id();
  private static final Map<String, String> BOTH =
      Map.of("mode", "api", "secrets.key", NEW_KEY, "secrets.oldKey", TestServer.MASTER_KEY);

  private static void set(ApiClient tenant, int secrets) {
    for (int i = 0; i < secrets; i++) {
      tenant
          .put(
              T + "/secrets/s%03d".formatted(i),
              Json.write(Map.of("value", "the value %03d".formatted(i))))
          .expect(200);
    }
  }

  private static long encryptedWith(TestServer server, String key) {
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select count(*) from holdfast_control.task_secret where key_id = '%s'"
                    .formatted(key))) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  private static JsonNode rotate(TestServer server, URI url) {
    return new ApiClient(url, server.adminKey()).post("/v1/secrets/rotate").expect(200).json();
  }

  @Test
  void aRotationThatWasKilledIsContinuedByTheNextOne() throws Exception {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      set(server.tenant(), 230);
      int port = freePort();
      Process killed = serverProcess(server, port);
      try (Connection connection = server.database().connect();
          Statement statement = connection.createStatement()) {
        // The second batch of hundred waits for this row.
        connection.setAutoCommit(false);
        statement.execute(
            "select from holdfast_control.task_secret where name = 's150' for update");
        ApiClient admin = new ApiClient(URI.create("http://127.0.0.1:" + port), server.adminKey());
        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptions()
            .until(() -> admin.get("/ready").status() == 200);
        CompletableFuture<Void> unanswered =
            CompletableFuture.runAsync(() -> admin.raw("POST", "/v1/secrets/rotate", null));
        await().atMost(Duration.ofSeconds(30)).until(() -> encryptedWith(server, NEW_ID) == 100);
        killed.destroyForcibly().waitFor();
        assertThat(unanswered).failsWithin(Duration.ofSeconds(30));
        connection.rollback();
      } finally {
        killed.destroyForcibly();
      }
      assertThat(encryptedWith(server, OLD_ID)).isEqualTo(130);

      URI next = server.start(BOTH).url();
      JsonNode done = rotate(server, next);
      assertThat(done.path("rotated").asInt()).isEqualTo(130);
      assertThat(done.path("remaining").asString()).isEqualTo("0");
      assertThat(encryptedWith(server, NEW_ID)).isEqualTo(230);
      assertThat(rotate(server, next).path("rotated").asInt()).isZero();

      // All values are the same as before, with the new key alone.
      server.startAs(Map.of("mode", "worker", "secrets.key", NEW_KEY), SecretsTest.TELLER);
      for (String name : List.of("s000", "s099", "s100", "s150", "s229")) {
        assertThat(
                SecretsTest.run(server.tenant(), "default", name, "length").path("result").asInt())
            .isEqualTo(13);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Process serverProcess(TestServer server, int port) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "dev.holdfast.server.node.ServerProgram",
            "mode=api",
            "port=" + port,
            "database.url=" + server.database().jdbcUrl(),
            "database.user=" + server.database().user(),
            "database.password=" + server.database().password(),
            "database.poolSize=4",
            "secrets.key=" + NEW_KEY,
            "secrets.oldKey=" + TestServer.MASTER_KEY)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  @Test
  void whatCannotBeDecryptedIsNamedAndStays() throws SQLException {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      set(server.tenant(), 3);
      try (Connection connection = server.database().connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "update holdfast_control.task_secret set nonce = '\\x00'::bytea where name = 's001'");
      }
      URI next = server.start(BOTH).url();
      JsonNode done = rotate(server, next);
      assertThat(done.path("rotated").asInt()).isEqualTo(2);
      assertThat(done.path("remaining").asString()).isEqualTo("1");
      assertThat(done.at("/damaged/0").asString()).endsWith("/s001");
      assertThat(encryptedWith(server, OLD_ID)).isEqualTo(1);
      // A server without the old key can do nothing about rows of it.
      URI without = server.start(Map.of("mode", "api", "secrets.key", NEW_KEY)).url();
      JsonNode nothing = rotate(server, without);
      assertThat(nothing.path("rotated").asInt()).isZero();
      assertThat(nothing.path("remaining").asString()).isEqualTo("1");
    }
  }
}
