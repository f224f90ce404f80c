package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.server.ServeProcesses.ServerProcess;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database of a real server is backed up under load and restored. */
class BackupCommandTest {
  private static final Duration WAIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  private static Cli at(int port, String key, String... args) {
    return Cli.with(Map.of("HOLDFAST_URL", "http://127.0.0.1:" + port, "HOLDFAST_KEY", key), args);
  }

  private static Cli succeeding(Cli cli) {
    assertThat(cli.exit()).as(cli.out() + cli.err()).isZero();
    return cli;
  }

  private static String enqueue(
      int port, String key, String task, String payload, String... options) {
    List<String> words = new ArrayList<>(List.of("job", "enqueue", task, payload, "--json"));
    words.addAll(List.of(options));
    Cli enqueued = succeeding(at(port, key, words.toArray(String[]::new)));
    return Json.read(enqueued.out()).get("id").stringValue();
  }

  private static String state(int port, String key, String job) {
    return Json.read(at(port, key, "job", "show", job, "--json").out()).path("state").asString();
  }

  @Test
  void aServerThatWasBackedUpUnderLoadIsRestoredIntoANewFolder() throws Exception {
    String data = "--data-dir=" + folder.resolve("data");
    Path backup = folder.resolve("backup");
    int port = ServeProcesses.freePort();
    Queue<String> jobs = new ConcurrentLinkedQueue<>();
    String key;
    String packing;
    String second;
    String scheduled;
    List<String> acknowledged;
    try (ServeProcesses processes = new ServeProcesses(folder)) {
      ServerProcess server = processes.start(port, data);
      key = server.word("holdfast_live_default_");
      packing =
          enqueue(
              port, key, "cli::pack", "{\"started\":\"%s\"}".formatted(folder.resolve("packing")));
      await().atMost(WAIT).until(() -> Files.exists(folder.resolve("packing")));
      String admin = server.word("holdfast_live_admin_");
      second =
          Json.read(succeeding(at(port, admin, "tenant", "create", "second", "--json")).out())
              .get("key")
              .stringValue();
      scheduled = enqueue(port, second, "cli::echo", "{}", "--in=5s");
      AtomicBoolean enough = new AtomicBoolean();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(() -> {
            while (!enough.get()) {
              jobs.add(enqueue(port, key, "cli::echo", "{}"));
            }
          });
      await().atMost(WAIT).until(() -> jobs.size() > 20);

      acknowledged = List.copyOf(jobs);
      Cli taken = succeeding(Cli.run("backup", data, backup.toString()));
      assertThat(taken.out()).contains("while the server was running");
      enough.set(true);
      assertThat(load).succeedsWithin(WAIT);
      enqueue(port, key, "cli::echo", "{\"more\":\"work\"}");
      assertThat(Cli.run("backup", data, backup.toString()).err()).contains("exists");
      assertThat(Cli.run("restore", data, backup.toString()).err())
          .contains("is in use by a PostgreSQL server");
      Cli early = Cli.run("restored", data);
      assertThat(early.exit()).isNotZero();
      assertThat(early.err()).contains("stop it first");
    }
    succeeding(Cli.run("restored", data)); // The program was killed, its database is still there.

    String fresh = "--data-dir=" + folder.resolve("fresh");
    Cli restored = succeeding(Cli.run("restore", fresh, backup.toString()));
    assertThat(restored.out())
        .containsPattern(
            "Schema holdfast_t1: tokens now start at \\d{15,16}; 1 nodes ended, \\d+ running")
        .contains("Schema holdfast_t2: tokens now start at", "Start the server now.");
    try (ServeProcesses processes = new ServeProcesses(folder)) {
      processes.start(port, fresh);
      for (String job : acknowledged) {
        await().atMost(WAIT).until(() -> state(port, key, job).equals("SUCCEEDED"));
      }
      // It ran when the backup was taken, and runs again at once: its node is known to be dead.
      await().atMost(WAIT).until(() -> state(port, key, packing).equals("SUCCEEDED"));
      Cli job = at(port, key, "job", "show", packing, "--json");
      assertThat(job.out()).contains("WORKER_CRASHED");
      await().atMost(WAIT).until(() -> state(port, second, scheduled).equals("SUCCEEDED"));
    }
  }

  @Test
  void aDatabaseThatWasRestoredByOtherMeansGetsANewEpoch() {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      Cli empty = Cli.on(database, "restored");
      assertThat(empty.exit()).isNotZero();
      assertThat(empty.err()).contains("has no tables of Holdfast");
      PostgresStore.connect(
              PostgresSettings.builder(database.jdbcUrl())
                  .user(database.user())
                  .password(database.password())
                  .build())
          .close();

      Cli done = succeeding(Cli.on(database, "restored"));

      assertThat(done.out())
          .contains("Schema holdfast: tokens now start at", "Start nodes and servers now.");
    }
  }

  @Test
  void aServerWithItsOwnDatabaseHasNoEmbeddedOneToBackUp() {
    Cli refused =
        Cli.with(
            Map.of("HOLDFAST_DATABASE_URL", "jdbc:postgresql://db/app"),
            "backup",
            folder.resolve("backup").toString());
    assertThat(refused.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(refused.err()).contains("pg_basebackup", "holdfast restored");
  }
}
