package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a server that runs or does not, and restores of them. */
@Timeout(180)
class BackupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A server with a table, and a backup of it that tests only read. */
  @TempDir private static Path shared;

  private static EmbeddedPostgres server;
  private static Path backup;

  @TempDir private Path temp;

  @BeforeAll
  static void takeABackup() throws SQLException {
    server = EmbeddedPostgres.at(shared.resolve("data")).start();
    Rows.write(server, "CREATE TABLE kept AS SELECT 42 AS answer", "CREATE TABLE load (n int)");
    backup = shared.resolve("backup");
    assertThat(EmbeddedBackup.take(server.dataFolder(), backup).online()).isTrue();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void restore(Path from, Path to) {
    EmbeddedRestore.restore(from, to, prepared -> {});
  }

  private static String read(Path data, String sql) throws SQLException {
    try (EmbeddedPostgres restored = EmbeddedPostgres.at(data).start()) {
      return Rows.read(restored, sql);
    }
  }

  @Test
  void whatWasCommittedBeforeABackupUnderLoadIsInIt() throws Exception {
    AtomicInteger committed = new AtomicInteger();
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(() -> insert(committed, enough), Threads.OWN);
    await().atMost(PATIENCE).until(() -> committed.get() > 100);

    int before = committed.get();
    EmbeddedBackup.take(server.dataFolder(), temp.resolve("backup"));
    int after = committed.get();
    Rows.write(server, "UPDATE kept SET answer = 43");
    enough.set(true);
    assertThat(load).succeedsWithin(PATIENCE);
    restore(temp.resolve("backup"), temp.resolve("data"));

    assertThat(after).as("the load went on").isGreaterThan(before);
    assertThat(Rows.read(server, "SELECT count(*) FROM pg_replication_slots")).isEqualTo("0");
    String found =
        read(
            temp.resolve("data"),
            "SELECT count(*) || ' ' || max(n) || ' ' || (SELECT answer FROM kept) FROM load");
    String[] words = found.split(" ", -1);
    assertThat(Integer.parseInt(words[0]))
        .as("a prefix of what was committed")
        .isEqualTo(Integer.parseInt(words[1]))
        .isBetween(before, after + 1);
    assertThat(words[2]).isEqualTo("42");
    Rows.write(server, "UPDATE kept SET answer = 42");
  }

  private static void insert(AtomicInteger committed, AtomicBoolean enough) {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement()) {
      while (!enough.get()) {
        statement.execute("INSERT INTO load VALUES (" + (committed.get() + 1) + ")");
        committed.incrementAndGet();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aServerThatDoesNotRunIsBackedUpToo() throws Exception {
    try (EmbeddedPostgres stopped = EmbeddedPostgres.at(temp.resolve("data")).start()) {
      Rows.write(stopped, "CREATE TABLE kept AS SELECT 7 AS answer");
      stopped.kill(); // What it has written is in its log only.
      assertThat(EmbeddedBackup.take(temp.resolve("data"), temp.resolve("backup")).online())
          .isFalse();
    }

    restore(temp.resolve("backup"), temp.resolve("restored"));

    assertThat(read(temp.resolve("restored"), "SELECT answer FROM kept")).isEqualTo("7");
  }

  @Test
  void theServerIsPreparedBeforeTheFolderCanBeUsed() throws Exception {
    Path data = temp.resolve("data");
    EmbeddedRestore.restore(
        backup,
        data,
        prepared -> {
          assertThatThrownBy(() -> EmbeddedPostgres.at(data).start())
              .hasMessageContaining("is running or was interrupted");
          try {
            Rows.write(prepared, "UPDATE kept SET answer = 1");
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });

    assertThat(read(data, "SELECT answer FROM kept")).isEqualTo("1");
    assertThat(data.resolve(DataFolder.RESTORING)).doesNotExist();
  }

  @Test
  void aRestoreThatFailsLeavesNothing() throws IOException {
    Path fresh = temp.resolve("fresh");
    Path empty = Files.createDirectory(temp.resolve("empty"));
    for (Path folder : new Path[] {fresh, empty}) {
      assertThatThrownBy(() ->
              EmbeddedRestore.restore(
                  backup,
                  folder,
                  prepared -> {
                    throw new IllegalStateException("on purpose");
                  }))
          .hasMessage("on purpose");
    }

    assertThat(fresh).doesNotExist();
    assertThat(empty.resolve("pgdata")).doesNotExist();
    assertThat(empty.resolve("password")).doesNotExist();
    restore(backup, empty); // It can be tried again.
  }

  @Test
  void aFolderThatIsInUseOrNotEmptyIsRefused() throws Exception {
    assertThatThrownBy(() -> restore(backup, server.dataFolder()))
        .hasMessageContaining("in use by a PostgreSQL server (process " + server.pid() + ")")
        .hasMessageContaining("restore into an empty folder");
    assertThat(Rows.read(server, "SELECT answer FROM kept")).isEqualTo("42");

    Path other = Files.createDirectory(temp.resolve("other"));
    Files.writeString(other.resolve("letter.txt"), "mine");
    assertThatThrownBy(() -> restore(backup, other))
        .hasMessageContaining("not empty (it contains letter.txt)")
        .hasMessageContaining("move its contents away");
    assertThat(entries(other)).containsExactly("letter.txt");
  }

  private static Stream<String> entries(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> String.valueOf(path.getFileName())).toList().stream();
    }
  }

  @Test
  void aRestoreThatWasKilledLeavesAFolderThatIsRefused() throws Exception {
    Path data = temp.resolve("data");
    Process restore =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                RestoreProgram.class.getName(),
                backup.toString(),
                data.toString())
            .redirectErrorStream(true)
            .start();
    try (var out = restore.inputReader()) {
      assertThat(out.lines().anyMatch(RestoreProgram.PREPARING::equals)).isTrue();
      restore.destroyForcibly().onExit().join();
    }

    assertThatThrownBy(() -> EmbeddedPostgres.at(data).start())
        .hasMessageContaining("was interrupted: if it was, delete the contents of the folder");
    assertThatThrownBy(() -> restore(backup, data)).hasMessageContaining("was interrupted");
    assertThat(data.resolve("pgdata")).doesNotExist();
    ForcedStop.kill(new DataFolder(data.resolve(DataFolder.RESTORING).toRealPath()));
  }

  @Test
  void aDamagedBackupIsRefusedBeforeAnythingIsWritten() throws Exception {
    Path copy = temp.resolve("copy");
    Path data = temp.resolve("data");
    copy(backup, copy);
    Path control = copy.resolve("pgdata/global/pg_control");
    byte[] bytes = Files.readAllBytes(control);
    bytes[100] = (byte) (bytes[100] + 1);
    Files.write(control, bytes);
    assertThatThrownBy(() -> restore(copy, data))
        .hasMessageContaining("file pgdata/global/pg_control was changed");

    Files.delete(control);
    assertThatThrownBy(() -> restore(copy, data))
        .hasMessageContaining("file pgdata/global/pg_control is missing");

    Path manifest = copy.resolve(BackupManifest.FILE);
    String text = Files.readString(manifest);
    Files.writeString(manifest, text.substring(0, text.length() / 2));
    assertThatThrownBy(() -> restore(copy, data)).hasMessageContaining("manifest");

    Files.delete(manifest);
    assertThatThrownBy(() -> restore(copy, data)).hasMessageContaining("is not a backup");
    assertThat(data).doesNotExist();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> tree = Files.walk(from)) {
      for (Path path : (Iterable<Path>) tree::iterator) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  @Test
  void aBackupOverwritesNothingAndNeedsData() throws IOException {
    Path target = Files.createDirectory(temp.resolve("target"));
    assertThatThrownBy(() -> EmbeddedBackup.take(server.dataFolder(), target))
        .hasMessageContaining("exists")
        .hasMessageContaining("choose another folder");
    assertThatThrownBy(() -> EmbeddedBackup.take(temp.resolve("none"), temp.resolve("backup")))
        .hasMessageContaining("There is no embedded database in");
    assertThat(temp.resolve("none")).doesNotExist();
    assertThat(temp.resolve("backup")).doesNotExist();
  }

  @Test
  void segmentsOfTheLogAreCountedAcrossTheirParts() {
    assertThat(
            new LogSegments(16 << 20)
                .between("0000000100000000000000FE", "000000010000000100000001"))
        .containsExactly(
            "0000000100000000000000FE",
            "0000000100000000000000FF",
            "000000010000000100000000",
            "000000010000000100000001");
  }
}
