package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.XZInputStream;

/** A PostgreSQL 13 server, whose binaries the build has downloaded. */
class OldServerTest {
  @TempDir private Path folder;

  private Process server;
  private String url;

  @BeforeEach
  void start() throws Exception {
    Optional<Path> binaries = binaries();
    assumeTrue(binaries.isPresent(), "the binaries of PostgreSQL 13 are not in target/old-server");
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "the binaries of PostgreSQL 13 are for Linux on amd64");
    unpack(binaries.get());
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String data = folder.resolve("data").toString();
    Process initdb = run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync");
    assertThat(initdb.waitFor()).as(Files.readString(folder.resolve("log"))).isZero();
    server = run("postgres", "-D", data, "-p", "" + port, "-h", "127.0.0.1", "-k", "");
    url = "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> ask("select 1").equals("1"));
  }

  private static Optional<Path> binaries() throws IOException {
    for (String folder : List.of("target/old-server", "holdfast-postgres/target/old-server")) {
      if (Files.isDirectory(Path.of(folder))) {
        try (Stream<Path> files = Files.list(Path.of(folder))) {
          return files.filter(file -> file.toString().endsWith(".jar")).findFirst();
        }
      }
    }
    return Optional.empty();
  }

  private void unpack(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile());
        TarArchiveInputStream tar =
            new TarArchiveInputStream(
                new XZInputStream(zip.getInputStream(zip.getEntry("postgres-linux-x86_64.txz"))))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path file = folder.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(file);
          continue;
        }
        Files.createDirectories(file.getParent());
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else {
          Files.copy(tar, file);
          file.toFile().setExecutable((entry.getMode() & 0100) != 0);
        }
      }
    }
  }

  private Process run(String program, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      line.addAll(List.of("unshare", "-U")); // PostgreSQL refuses to run as root.
    }
    line.add(folder.resolve("bin").resolve(program).toString());
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start();
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void aServerThatIsTooOldIsRejectedAndNotChanged() throws Exception {
    assertRejected(() -> PostgresStore.connect(PostgresSettings.of(url)));

    assertThat(ask("show server_version")).startsWith("13.");
    assertThat(ask("select count(*) from pg_namespace where nspname = 'holdfast'")).isEqualTo("0");
  }

  @Test
  void aServerThatIsTooOldIsRejectedThroughADataSource() throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setAutoCommit(false);
      assertRejected(() -> PostgresStore.on(pool, "holdfast"));
    }
    assertThat(ask("select count(*) from pg_namespace where nspname = 'holdfast'")).isEqualTo("0");
  }

  private static void assertRejected(ThrowingCallable connecting) {
    assertThatThrownBy(connecting)
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED))
        .hasMessageContaining("is PostgreSQL 13, and Holdfast needs 14 or newer: upgrade it")
        .hasMessageContaining("Nothing was written")
        .hasMessageNotContaining("try again");
  }

  private String ask(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
