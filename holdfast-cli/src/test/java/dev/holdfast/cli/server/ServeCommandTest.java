package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a separate process. */
class ServeCommandTest {
  private static final Duration WAIT = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private final List<ServerProcess> started = new ArrayList<>();

  @AfterEach
  void killAll() {
    started.forEach(ServerProcess::kill);
  }

  /** A server process, and what it has printed until it was ready. */
  private record ServerProcess(Process process, BufferedReader out, List<String> lines) {
    private String word(String start) {
      return lines.stream()
          .flatMap(line -> List.of(line.split("\\s+")).stream())
          .filter(word -> word.startsWith(start))
          .findFirst()
          .orElse("");
    }

    private void kill() {
      process.destroyForcibly().onExit().join();
    }
  }

  private ServerProcess start(int port, String... more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.holdfast.cli.Main",
                "serve",
                "--set=nodeTimeout=PT6S",
                "--port=" + port));
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("XDG_CONFIG_HOME", folder.resolve("config").toString());
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    ServerProcess server = new ServerProcess(process, out, new ArrayList<>());
    started.add(server);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      server.lines().add(line);
      if (line.startsWith("Press Ctrl-C")) {
        return server;
      }
    }
    throw new AssertionError("The server ended early: " + server.lines());
  }

  /** A port that stays the same when a server is started again. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** What a new user types, in a shell in which the variables are set. */
  private record Shell(Map<String, String> variables) {
    Cli run(String... args) {
      return Cli.with(variables, args);
    }

    String startedRun(Path marker) {
      String input = "--input={\"started\":\"%s\"}".formatted(marker);
      Cli start = run("run", "start", "cli::parcel", input, "--json");
      assertThat(start.exit()).as(start.err()).isZero();
      return Json.read(start.out()).get("id").stringValue();
    }

    void awaitOutput(String text, String... args) {
      await().atMost(WAIT).until(() -> run(args).out(), out -> out.contains(text));
    }
  }

  /** Starts servers, which may be killed and started again. */
  private interface Servers {
    List<ServerProcess> start() throws IOException;
  }

  /**
   * Starts a run, watches it, kills all servers with -9 while a step is running, starts them again,
   * and sees the run finish, in the same command that has watched it all the time. The step is
   * taken back from the dead node after its timeout.
   *
   * @return the servers of the second start
   */
  private List<ServerProcess> killInTheMiddleOfARun(
      Shell shell, List<ServerProcess> first, Servers servers) throws IOException {
    shell.awaitOutput("cli::parcel", "workflow", "list");
    Path packing = folder.resolve("packing");
    String run = shell.startedRun(packing);
    await().atMost(WAIT).until(() -> Files.exists(packing));
    assertThat(shell.run("job", "list", "--state=RUNNING").out()).contains("cli::pack");
    CompletableFuture<Cli> watch =
        CompletableFuture.supplyAsync(() -> shell.run("run", "watch", run, "--patience=5m"));
    first.forEach(ServerProcess::kill);

    List<ServerProcess> second = servers.start();
    assertThat(shell.run("run", "signal", run, "approved", "--payload={}").exit()).isZero();
    Cli watched = watch.orTimeout(WAIT.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(watched.exit()).as(watched.out() + watched.err()).isZero();
    assertThat(watched.out())
        .contains("STEP_SUCCEEDED pack", "STEP_SUCCEEDED ship", "ended SUCCEEDED");
    return second;
  }

  @Test
  void aNewUserSeesARunFinishAlthoughTheServerIsKilledInTheMiddle() throws Exception {
    int port = freePort();
    String data = "--data-dir=" + folder.resolve("data");
    ServerProcess first = start(port, data);
    String key = first.word("holdfast_live_default_");
    assertThat(key).isNotEmpty();
    assertThat(first.word("holdfast_live_admin_")).isNotEmpty();
    assertThat(first.lines()).anyMatch(line -> line.contains("as profile 'local' in"));

    // Only the profile that the server has written names the server and its key.
    Shell shell = new Shell(Map.of("XDG_CONFIG_HOME", folder.resolve("config").toString()));
    assertThat(shell.run("profile", "list").out())
        .contains("local", "http://127.0.0.1:" + port)
        .doesNotContain(key);
    List<ServerProcess> second =
        killInTheMiddleOfARun(shell, List.of(first), () -> List.of(start(port, data)));

    ServerProcess server = second.getFirst();
    assertThat(server.word("holdfast_live_")).isEmpty();
    server.process().toHandle().destroy(); // Unlike the process, the handle leaves its output open.
    assertThat(server.process().waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(server.out().lines().toList()).contains("Stopped.");
    assertThat(server.process().exitValue()).isZero();
    assertThat(shell.run("queue", "list", "--timeout=1s").exit())
        .isEqualTo(ExitCode.UNAVAILABLE.number());
  }

  @Test
  void twoServersOnOneDatabaseSurviveTheSame() throws Exception {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      int port = freePort();
      String[] at = {
        "--database-url=" + database.jdbcUrl(),
        "--user=" + database.user(),
        "--password=" + database.password()
      };
      Servers servers =
          () ->
              List.of(
                  start(port, with(at, "--mode=api")),
                  start(0, with(at, "--mode=worker,scheduler")));
      List<ServerProcess> first = servers.start();
      String key = first.getFirst().word("holdfast_live_default_");
      assertThat(first.getLast().word("holdfast_live_")).isEmpty();
      Shell shell =
          new Shell(
              Map.of(
                  "XDG_CONFIG_HOME",
                  folder.resolve("config").toString(),
                  "HOLDFAST_URL",
                  "http://127.0.0.1:" + port,
                  "HOLDFAST_KEY",
                  key));
      // A database of its own may be shared: its keys are not stored for one user.
      assertThat(folder.resolve("config")).doesNotExist();

      List<ServerProcess> second = killInTheMiddleOfARun(shell, first, servers);
      second.forEach(ServerProcess::kill);
    }
  }

  private static int status(int port, String path) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** The job never ends by itself, and the drain would take ten minutes. */
  @Test
  void aSecondSignalStopsAServerThatDrains() throws Exception {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      int port = freePort();
      ServerProcess server =
          start(
              port,
              "--database-url=" + database.jdbcUrl(),
              "--user=" + database.user(),
              "--password=" + database.password(),
              "--set=drain=PT10M");
      Shell shell =
          new Shell(
              Map.of(
                  "XDG_CONFIG_HOME",
                  folder.resolve("config").toString(),
                  "HOLDFAST_URL",
                  "http://127.0.0.1:" + port,
                  "HOLDFAST_KEY",
                  server.word("holdfast_live_default_")));
      Path packing = folder.resolve("packing");
      String payload = "{\"started\":\"%s\"}".formatted(packing);
      Cli enqueued = shell.run("job", "enqueue", "cli::pack", payload);
      assertThat(enqueued.exit()).as(enqueued.err()).isZero();
      await().atMost(WAIT).until(() -> Files.exists(packing));

      server.process().toHandle().destroy();
      await().atMost(WAIT).until(() -> status(port, "/ready") == 503);
      assertThat(status(port, "/metrics")).isEqualTo(200);
      assertThat(server.process().isAlive()).isTrue();
      server.process().toHandle().destroy();
      assertThat(server.process().waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(server.out().lines().toList()).contains("Stopped.");
      assertThat(server.process().exitValue()).isZero();
      try (var connection = database.connect();
          var statement = connection.createStatement();
          var rows = statement.executeQuery("select task, state from holdfast_t1.job")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1) + " " + rows.getString(2)).isEqualTo("cli::pack READY");
        assertThat(rows.next()).isFalse();
      }
    }
  }

  private static String[] with(String[] all, String more) {
    List<String> list = new ArrayList<>(List.of(all));
    list.add(more);
    return list.toArray(String[]::new);
  }

  @Test
  void theConfigurationIsPrintedWithItsSources() {
    Cli printed = Cli.run("config", "--port=81", "--set", "drain=PT1M");
    assertThat(printed.exit()).isZero();
    assertThat(printed.out()).containsPattern("port +81 +--port").containsPattern("drain +PT1M");
    assertThat(
            Json.read(Cli.run("config", "--port=81", "-o", "json").out())
                .get("port")
                .get("source")
                .stringValue())
        .isEqualTo("--port");
    Cli wrong = Cli.run("config", "--set", "prot=81");
    assertThat(wrong.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(wrong.err()).contains("did you mean 'port'?");
  }
}
