package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.server.ServeProcesses.ServerProcess;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.io.IOException;
import java.io.StringWriter;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The server as a separate process. */
class ServeCommandTest {
  private static final Duration WAIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private ServeProcesses processes;

  @BeforeEach
  void prepare() {
    processes = new ServeProcesses(folder);
  }

  @AfterEach
  void killAll() {
    processes.close();
  }

  private ServerProcess start(int port, String... more) throws IOException {
    return processes.start(port, more);
  }

  /** What a new user types, in a shell in which the variables are set. */
  private record Shell(Map<String, String> variables) {
    Cli run(String... args) {
      return Cli.with(variables, args);
    }

    String startedRun(String workflow, String input) {
      Cli start = run("run", "start", workflow, "--input=" + input, "--json");
      assertThat(start.exit()).as(start.err()).isZero();
      return Json.read(start.out()).get("id").stringValue();
    }

    /** Returns whether step pack of a run is running. */
    boolean isPacking(String run) {
      for (JsonNode step : Json.read(run("run", "show", run, "--json").out()).path("steps")) {
        if (step.path("name").asString().equals("pack") && step.path("job").isString()) {
          Cli job = run("job", "show", step.path("job").stringValue(), "--json");
          return Json.read(job.out()).path("state").asString().equals("RUNNING");
        }
      }
      return false;
    }

    void awaitOutput(String text, String... args) {
      await().atMost(WAIT).until(() -> run(args).out(), out -> out.contains(text));
    }
  }

  /**
   * A workflow whose step pack takes some seconds, in which the servers are killed. It then waits
   * for signal {@code approved} before step ship.
   */
  private record Work(String workflow, String input) {}

  private static final Work DEMO =
      new Work("demo::fulfil", "{\"number\":1000,\"customer\":\"Ada\"}");

  private Work parcel() {
    return new Work("cli::parcel", "{\"started\":\"%s\"}".formatted(folder.resolve("packing")));
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
      Shell shell, Work work, List<ServerProcess> first, Servers servers) throws IOException {
    shell.awaitOutput(work.workflow(), "workflow", "list");
    String run = shell.startedRun(work.workflow(), work.input());
    await().atMost(WAIT).until(() -> shell.isPacking(run));
    StringWriter shown = new StringWriter();
    CompletableFuture<Cli> watch =
        CompletableFuture.supplyAsync(
            () -> Cli.with(shell.variables(), shown, "run", "watch", run, "--patience=5m"));
    // One that has not reached a server yet would end without one.
    await().atMost(WAIT).until(() -> shown.toString().contains("STEP_STARTED pack"));
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
    int port = ServeProcesses.freePort();
    String data = "--data-dir=" + folder.resolve("data");
    ServerProcess first = start(port, data, "--demo", "--log-level=info");
    // The flag counts, and not the variable.
    assertThat(first.lines()).anyMatch(line -> line.matches(".* INFO .* Serving http://.*"));
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
        killInTheMiddleOfARun(
            shell, DEMO, List.of(first), () -> List.of(start(port, data, "--demo")));

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
      int port = ServeProcesses.freePort();
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
      // A configured database may be shared: its keys are not stored for one user.
      assertThat(folder.resolve("config")).doesNotExist();

      List<ServerProcess> second = killInTheMiddleOfARun(shell, parcel(), first, servers);
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
      int port = ServeProcesses.freePort();
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

  private static String source(String key, Cli printed) {
    assertThat(printed.exit()).as(printed.err()).isZero();
    return Json.read(printed.out()).get(key).get("source").stringValue();
  }

  @Test
  void theSourceOfAValueIsTheOptionThatWasTyped() {
    String[] words = {"config", "--json", "--user=ada", "--set=drain=PT1M", "--log-level=debug"};
    Cli printed = Cli.with(Map.of("HOLDFAST_LOG_LEVEL", "error"), words);

    assertThat(source("database.user", printed)).isEqualTo("--user");
    assertThat(source("drain", printed)).isEqualTo("--set drain=");
    assertThat(source("log.level", printed)).isEqualTo("--log-level");
    assertThat(Json.read(printed.out()).get("log.level").get("value").stringValue())
        .isEqualTo("DEBUG");
    Cli variable = Cli.with(Map.of("HOLDFAST_LOG_LEVEL", "error"), "config", "--json");
    assertThat(source("log.level", variable)).isEqualTo("HOLDFAST_LOG_LEVEL");
  }

  @Test
  void anInvalidLogIsRefusedBeforeTheServerStarts() {
    Cli level = Cli.with(Map.of("HOLDFAST_LOG_LEVEL", "loud"), "serve");
    assertThat(level.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(level.err()).contains("log.level 'loud' (from HOLDFAST_LOG_LEVEL)");
    Cli format = Cli.run("config", "--log-format=xml");
    assertThat(format.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(format.err()).contains("log.format 'xml' (from --log-format)");
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
