package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server in normal operation. */
@Timeout(120)
class EmbeddedPostgresTest {

  @TempDir private static Path temp;
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() {
    server = EmbeddedPostgres.at(temp.resolve("it's a folder")).setting("work_mem", "5MB").start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theServerIsDurableAndUsesPageChecksums() throws SQLException {
    assertThat(Rows.read(server, "SHOW fsync")).isEqualTo("on");
    assertThat(Rows.read(server, "SHOW full_page_writes")).isEqualTo("on");
    assertThat(Rows.read(server, "SHOW data_checksums")).isEqualTo("on");
  }

  @Test
  void theServerUsesUtf8AndSortsByCodePoint() throws SQLException {
    assertThat(Rows.read(server, "SHOW server_encoding")).isEqualTo("UTF8");
    assertThat(Rows.read(server, "SELECT 'Z' < 'a' AND 'z' < 'ä'")).isEqualTo("t");
    assertThat(Rows.read(server, "SELECT upper('ä')")).isEqualTo("Ä");
  }

  @Test
  void theServerUsesTheGivenSettings() throws SQLException {
    assertThat(Rows.read(server, "SHOW work_mem")).isEqualTo("5MB");
    assertThat(Rows.read(server, "SHOW max_wal_size")).isEqualTo("2GB");
  }

  @Test
  void theServerCountsStatements() throws SQLException {
    Rows.write(server, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements");

    assertThat(Rows.read(server, "SELECT count(*) > 0 FROM pg_stat_statements")).isEqualTo("t");
  }

  @Test
  void theServerListensOnTheLoopbackAddressOnly() throws Exception {
    assertThat(Rows.read(server, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
    assertThat(Rows.read(server, "SHOW unix_socket_directories")).isEmpty();

    List<InetAddress> others =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> !address.isLoopbackAddress())
            .toList();
    for (InetAddress other : others) {
      // If the server listened on all addresses, no other socket could use this port.
      assertThatCode(() -> listenOnce(other, server.port())).doesNotThrowAnyException();
    }
  }

  @Test
  void thePasswordFileIsReadableByItsOwnerOnly() throws Exception {
    Path password = server.dataFolder().resolve("password");

    assertThat(Files.readString(password).strip()).isEqualTo(server.password()).hasSize(32);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
        .isEqualTo("rw-------");
  }

  @Test
  void theServerRejectsAWrongPassword() {
    assertThatThrownBy(
            () -> DriverManager.getConnection(server.jdbcUrl(), server.user(), "wrong").close())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("password");
  }

  @Test
  void theServerStoresPasswordsAsScram() throws SQLException {
    assertThat(Rows.read(server, "SELECT left(rolpassword, 13) FROM pg_authid WHERE rolsuper"))
        .isEqualTo("SCRAM-SHA-256");
  }

  @Test
  void aDatabaseOfAnyNameIsCreatedOnce() throws SQLException {
    String name = "Größe \"50%\" / it's?";
    server.createDatabase(name);
    server.createDatabase(name);

    try (Connection connection =
        DriverManager.getConnection(server.jdbcUrl(name), server.user(), server.password())) {
      assertThat(connection.getCatalog()).isEqualTo(name);
    }
  }

  @Test
  void theLogIsInTheDataFolder() throws Exception {
    Rows.write(server, "DO $$ BEGIN RAISE LOG 'a word for the log'; END $$");

    // Another process of the server writes the log asynchronously.
    await()
        .untilAsserted(() -> {
          try (var logs = Files.list(server.dataFolder().resolve("log"))) {
            assertThat(logs.filter(file -> file.getFileName().toString().startsWith("postgresql-")))
                .singleElement()
                .satisfies(file -> assertThat(file).content().contains("a word for the log"));
          }
        });
  }

  @Test
  void dataPortAndPasswordSurviveARestart() throws Exception {
    Path folder = temp.resolve("kept");
    String password;
    int port;
    try (EmbeddedPostgres first = EmbeddedPostgres.at(folder).start()) {
      Rows.write(first, "CREATE TABLE kept AS SELECT 42 AS answer");
      password = first.password();
      port = first.port();
    }
    try (EmbeddedPostgres second = EmbeddedPostgres.at(folder).start()) {
      assertThat(Rows.read(second, "SELECT answer FROM kept")).isEqualTo("42");
      assertThat(second.password()).isEqualTo(password);
      assertThat(second.port()).isEqualTo(port);
    }
  }

  @Test
  void aRememberedPortThatIsTakenIsReplacedByAFreeOne() throws Exception {
    Path folder = temp.resolve("moved");
    int port;
    try (EmbeddedPostgres first = EmbeddedPostgres.at(folder).start()) {
      port = first.port();
    }
    try (ServerSocket thief = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        EmbeddedPostgres second = EmbeddedPostgres.at(folder).start()) {
      assertThat(second.port()).isNotEqualTo(thief.getLocalPort());
    }
  }

  @Test
  void stopRestartAndKillKeepPortAndData() throws Exception {
    try (EmbeddedPostgres mine = EmbeddedPostgres.temporary().start()) {
      int port = mine.port();
      Rows.write(mine, "CREATE TABLE kept AS SELECT 42 AS answer");

      mine.stop();
      assertThat(mine.isRunning()).isFalse();
      mine.restart();
      mine.kill();
      assertThat(mine.isRunning()).isFalse();
      mine.restart();
      mine.restart();

      assertThat(mine.port()).isEqualTo(port);
      assertThat(Rows.read(mine, "SELECT answer FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void aTemporaryServerLeavesNothingBehind() {
    EmbeddedPostgres mine = EmbeddedPostgres.temporary().start();
    Path folder = mine.dataFolder();
    long pid = mine.pid();

    mine.close();
    mine.close();

    assertThat(folder).doesNotExist();
    assertThat(ProcessHandle.of(pid).filter(Postmaster::lives)).isEmpty();
    assertThatThrownBy(mine::restart).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anInterruptedThreadCanStillStopItsServer() {
    EmbeddedPostgres mine = EmbeddedPostgres.at(temp.resolve("interrupted")).start();

    Thread.currentThread().interrupt();
    mine.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(mine.isRunning()).isFalse();
  }

  private static void listenOnce(InetAddress address, int port) throws Exception {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(address, port), 1);
    }
  }
}
