package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts after a program, its server, or both were killed. */
@Timeout(120)
class KilledTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path temp;

  @Test
  void aKilledServerRestartsWithItsData() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.at(temp.resolve("data")).start()) {
      Rows.write(server, "CREATE TABLE kept AS SELECT 42 AS answer");
      kill(server.pid());

      server.restart();

      assertThat(Rows.read(server, "SELECT answer FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void sessionsThatOutliveAKilledServerAreWaitedFor() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.at(temp.resolve("data")).start();
        Connection busy = server.connect("postgres");
        Statement statement = busy.createStatement()) {
      CompletableFuture<Void> session =
          CompletableFuture.runAsync(() -> compute(statement), Threads.OWN);
      await().atMost(PATIENCE).until(() -> activeSessions(server) > 0);
      kill(server.pid());

      CompletableFuture<Void> restart = CompletableFuture.runAsync(server::restart, Threads.OWN);
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> Files.readString(startupLog(server)).contains("is still in use"));
      Files.createFile(server.dataFolder().resolve("pgdata/enough"));

      assertThat(restart).succeedsWithin(PATIENCE);
      assertThat(Rows.read(server, "SELECT 1")).isEqualTo("1");
      assertThat(session.handle((done, error) -> "ended")).succeedsWithin(PATIENCE);
    }
  }

  @Test
  void theServerOfAKilledProgramIsReused() throws Exception {
    Path folder = temp.resolve("data");
    ChildProgram child = ChildProgram.on(folder);
    child.kill();

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      assertThat(server.pid()).isEqualTo(child.serverPid());
      assertThat(server.port()).isEqualTo(child.port());
      assertThat(server.isOwner()).isTrue();
      assertThat(Rows.read(server, "SELECT 1")).isEqualTo("1");
    }
    assertThat(ProcessHandle.of(child.serverPid()).filter(Postmaster::lives)).isEmpty();
  }

  @Test
  void aReusedServerWithOtherSettingsIsRestarted() throws Exception {
    Path folder = temp.resolve("data");
    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      Rows.write(server, "CREATE TABLE kept AS SELECT 42 AS answer");
    }
    ChildProgram child = ChildProgram.on(folder);
    child.kill();

    try (EmbeddedPostgres server =
        EmbeddedPostgres.at(folder).setting("max_connections", "17").start()) {
      assertThat(server.pid()).isNotEqualTo(child.serverPid());
      assertThat(server.port()).isEqualTo(child.port());
      assertThat(Rows.read(server, "SHOW max_connections")).isEqualTo("17");
      assertThat(Rows.read(server, "SELECT answer FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void nothingIsLostWhenProgramAndServerAreKilled() throws Exception {
    Path folder = temp.resolve("data");
    ChildProgram child = ChildProgram.on(folder);
    try (EmbeddedPostgres guest = EmbeddedPostgres.at(folder).start()) {
      Rows.write(guest, "CREATE TABLE kept AS SELECT 42 AS answer");
    }
    child.kill();
    kill(child.serverPid());

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      assertThat(server.pid()).isNotEqualTo(child.serverPid());
      assertThat(Rows.read(server, "SELECT answer FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void aTerminatedProgramStopsItsServer() throws Exception {
    Path folder = temp.resolve("data");
    ChildProgram terminated = ChildProgram.on(folder);
    terminated.terminate();
    assertThat(DataFolder.open(folder).pgdata().resolve("postmaster.pid")).doesNotExist();

    ChildProgram exited = ChildProgram.on(folder);
    exited.end("exit");
    assertThat(DataFolder.open(folder).pgdata().resolve("postmaster.pid")).doesNotExist();
  }

  @Test
  void aServerThatDoesNotStopOnExitKeepsRunning() throws Exception {
    Path folder = temp.resolve("data");
    String classPath = System.getProperty("java.class.path");
    ChildProgram child =
        ChildProgram.launch(ChildProgram.java(classPath, folder.toString(), "false")).await();
    child.end("exit");

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      assertThat(server.pid()).isEqualTo(child.serverPid());
    }
  }

  @Test
  void theTemporaryServerOfAKilledProgramIsRemovedByTheNextProgram() throws Exception {
    List<String> command =
        new ArrayList<>(
            ChildProgram.java(System.getProperty("java.class.path"), "temporary", "true"));
    command.add(1, "-Djava.io.tmpdir=" + temp);
    ChildProgram killed = ChildProgram.launch(command).await();
    killed.kill();
    Files.setLastModifiedTime(
        killed.dataFolder().resolve("owner.lock"),
        FileTime.from(Instant.now().minus(Duration.ofMinutes(5))));

    try (ChildProgram next = ChildProgram.launch(command).await()) {
      assertThat(next.dataFolder()).exists();
      assertThat(killed.dataFolder()).doesNotExist();
      assertThat(ProcessHandle.of(killed.serverPid()).filter(Postmaster::lives)).isEmpty();
    }
  }

  /** Keeps a session so busy that it does not notice that its server died. */
  private static void compute(Statement statement) {
    try {
      statement.execute(
          "DO $$ BEGIN WHILE (pg_stat_file('enough', true)).size IS NULL LOOP END LOOP; END $$");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path startupLog(EmbeddedPostgres server) {
    return server.dataFolder().resolve("log/startup.log");
  }

  private static long activeSessions(EmbeddedPostgres server) throws SQLException {
    return Long.parseLong(
        Rows.read(
            server,
            "SELECT count(*) FROM pg_stat_activity"
                + " WHERE state = 'active' AND query LIKE '%enough%'"
                + " AND pid <> pg_backend_pid()"));
  }

  private static void kill(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    process.destroyForcibly();
    await().atMost(PATIENCE).until(() -> !Postmaster.lives(process));
  }
}
