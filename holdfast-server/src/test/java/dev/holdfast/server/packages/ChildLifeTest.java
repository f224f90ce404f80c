package dev.holdfast.server.packages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** How processes of packages start, change and end with their server. */
class ChildLifeTest {
  private static final String T = "/v1/tenants/default";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration SECONDS = Duration.ofSeconds(10);

  /** Returns its version and the process that it runs in, or runs until a time. */
  private static final String CODE =
      """
      static String run(String version, String input, TaskContext context) throws Exception {
        if (input.equals("enqueue")) {
          return context.client().enqueue(SAY, "x").id().toString();
        }
        if (input.startsWith("until ")) {
          long end = Long.parseLong(input.substring(6));
          while (System.currentTimeMillis() < end) { Thread.sleep(10); }
        }
        if (input.equals("spin")) {
          while (true) { Thread.onSpinWait(); }
        }
        return version + " in "
            + System.getProperties().computeIfAbsent("life", any -> UUID.randomUUID().toString());
      }
      """;

  @TempDir private static Path folder;
  private static TestServer server;
  private static ApiClient tenant;
  private static TestPackage life;

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer(Map.of("mode", "api", "nodeTimeout", "PT6S"));
    tenant = server.tenant();
    ApiClient unused = server.newTenant("other");
    life = new TestPackage(folder, "life");
    push("1");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void push(String version) throws Exception {
    life.version(
            version,
            CODE,
            """
            binder.handle(SAY, (input, context) -> run("%s", input, context));
            binder.workflow(TALK);
            """
                .formatted(version))
        .push(tenant)
        .expect(201);
  }

  private static HoldfastServer worker(String drain) {
    return server.start(Map.of("mode", "worker,scheduler", "nodeTimeout", "PT6S", "drain", drain));
  }

  private static String post(String payload) {
    return tenant
        .post(T + "/jobs", "{\"task\":\"life::say\",\"payload\":\"%s\"}".formatted(payload))
        .expect(201)
        .text("id");
  }

  private static String until(Duration time) {
    return "until " + (System.currentTimeMillis() + time.toMillis());
  }

  private static Reply job(String id) {
    return tenant.get(T + "/jobs/" + id);
  }

  private static Reply awaitState(String id, String state) {
    await().atMost(PATIENCE).until(() -> job(id).text("state"), state::equals);
    return job(id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"root", "other"})
  void aKilledServerLeavesNoProcessAndNoJobBehind(String user) throws Exception {
    String spinning;
    String token;
    List<ProcessHandle> left;
    try (Program program = new Program(user)) {
      awaitState(post("x"), "SUCCEEDED");
      spinning = post("spin");
      awaitState(spinning, "RUNNING");
      token = job(spinning).text("fencingToken");
      left = program.process.descendants().toList();
      assertThat(left)
          .anyMatch(process ->
              process.info().commandLine().orElse("").contains("packages.child.ChildMain"));
      assertThat(program.process.destroyForcibly().waitFor()).isEqualTo(137);
      await().atMost(SECONDS).until(() -> left.stream().noneMatch(ProcessHandle::isAlive));
    }
    String fresh = post("x");
    try (HoldfastServer next = worker("PT1S")) {
      awaitState(fresh, "SUCCEEDED");
      await().atMost(PATIENCE).until(() -> !job(spinning).text("fencingToken").equals(token));
      tenant.post(T + "/jobs/" + spinning + "/cancel", "{}").expect(200);
      assertThat(next.loadedPackages()).isNotEmpty();
    }
  }

  @Test
  void anOldVersionEndsItsRunsInTheSameProcessAndIsUnloadedThen() throws Exception {
    try (HoldfastServer worker = worker("PT5S")) {
      String process = wordsOf(awaitState(post("x"), "SUCCEEDED"))[2];
      String version = wordsOf(awaitState(post("x"), "SUCCEEDED"))[0];
      String old = startRun();
      String late =
          tenant
              .post(
                  T + "/jobs",
                  "{\"task\":\"life::say\",\"payload\":\"enqueue\",\"runIn\":\"PT6S\"}")
              .expect(201)
              .text("id");
      push(version + "0");
      await()
          .atMost(PATIENCE)
          .until(() -> worker.loadedPackages().contains("life@" + version + "0"));

      assertThat(go(startRun())).isEqualTo(version + "0 in " + process);
      assertThat(worker.loadedPackages()).contains("life@" + version);
      String child = awaitState(late, "SUCCEEDED").text("result");
      assertThat(awaitState(child, "SUCCEEDED").text("stack")).isEqualTo("life@" + version);
      assertThat(job(child).text("parent")).isEqualTo(late);
      assertThat(go(old)).isEqualTo(version + " in " + process);
      await().atMost(PATIENCE).until(() -> !worker.loadedPackages().contains("life@" + version));
      await().atMost(PATIENCE).until(() -> !nodes().contains("life@" + version));
      assertThat(nodes()).contains("life@" + version + "0");
      assertThat(wordsOf(awaitState(post("x"), "SUCCEEDED"))[2]).isEqualTo(process);
    }
  }

  /** Returns the names of the nodes that are alive. */
  private static List<String> nodes() {
    List<String> names = new ArrayList<>();
    for (JsonNode node : server.admin().get("/v1/nodes").expect(200).json().path("nodes")) {
      if (node.path("alive").asBoolean()) {
        names.add(node.path("name").asString(""));
      }
    }
    return names;
  }

  private static String[] wordsOf(Reply job) {
    return job.text("result").split(" ");
  }

  private static String startRun() {
    String run =
        tenant
            .post(T + "/runs", "{\"workflow\":\"life::talk\",\"input\":\"x\"}")
            .expect(201)
            .text("id");
    await()
        .atMost(PATIENCE)
        .until(
            () -> tenant.get(T + "/runs/" + run).json().at("/steps/0/state").asString(),
            "SUCCEEDED"::equals);
    return run;
  }

  private static String go(String run) {
    tenant.post(T + "/runs/" + run + "/signals", "{\"name\":\"go\",\"payload\":\"y\"}").expect(200);
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/runs/" + run).text("state"), "SUCCEEDED"::equals);
    return tenant.get(T + "/runs/" + run).text("result");
  }

  @Test
  void aServerThatStopsLetsAJobOfAPackageEnd() {
    String job;
    try (HoldfastServer worker = worker("PT60S")) {
      awaitState(post("x"), "SUCCEEDED");
      job = post(until(Duration.ofSeconds(4)));
      awaitState(job, "RUNNING");
      assertThat(worker.loadedPackages()).isNotEmpty();
    }
    assertThat(job(job).text("state")).isEqualTo("SUCCEEDED");
    assertThat(job(job).json().path("failures")).isEmpty();
  }

  @Test
  void aJobOfAPackageThatExceedsTheDrainTimeRunsOnTheNextServer() {
    String job;
    try (HoldfastServer worker = worker("PT1S")) {
      awaitState(post("x"), "SUCCEEDED");
      job = post(until(Duration.ofSeconds(20)));
      awaitState(job, "RUNNING");
      assertThat(worker.loadedPackages()).isNotEmpty();
    }
    assertThat(job(job).text("state")).isNotIn("SUCCEEDED", "FAILED", "RUNNING");

    try (HoldfastServer next = worker("PT1S")) {
      awaitState(job, "SUCCEEDED");
      assertThat(next.loadedPackages()).isNotEmpty();
    }
    assertThat(job(job).text("fencingToken")).isEqualTo("2");
    assertThat(job(job).json().path("failures")).isEmpty();
  }

  /** A server in a process of its own, on the database of the test. */
  private static final class Program implements AutoCloseable {
    private final Process process;

    /**
     * @param user what the server believes to be its user: only root can give processes another
     *     user and namespaces
     */
    Program(String user) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Duser.name=" + user,
                  "-cp",
                  System.getProperty("java.class.path"),
                  "dev.holdfast.server.node.ServerProgram",
                  "port=0",
                  "mode=worker,scheduler",
                  "nodeTimeout=PT6S",
                  "queues=default=5",
                  "database.url=" + server.database().jdbcUrl(),
                  "database.user=" + server.database().user(),
                  "database.password=" + server.database().password())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      awaitReady(process.inputReader(UTF_8));
    }

    private static void awaitReady(BufferedReader lines) throws IOException {
      List<String> said = new ArrayList<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("READY")) {
          return;
        }
        said.add(line);
      }
      throw new AssertionError("The server has ended: " + said);
    }

    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
