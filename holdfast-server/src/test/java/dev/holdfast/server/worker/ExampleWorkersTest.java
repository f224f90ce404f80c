package dev.holdfast.server.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The example workers, against a server in a process, with both killed in between. */
class ExampleWorkersTest {
  private static final Path EXAMPLES = Path.of("..", "examples", "workers");
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final int JOBS = 60;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("nodeTimeout", "PT6S"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void noJobOfAPythonWorkerIsLost() throws Exception {
    everyJobEnds("python", "python3", "worker.py");
  }

  @Test
  void noJobOfAJavaScriptWorkerIsLost() throws Exception {
    everyJobEnds("javascript", "node", "worker.mjs");
  }

  @Test
  void theExamplesAreShort() throws IOException {
    for (String name : List.of("worker.py", "worker.mjs")) {
      List<String> lines = Files.readAllLines(EXAMPLES.resolve(name));
      assertThat(lines).as(name).hasSizeLessThanOrEqualTo(100);
      assertThat(lines).as(name).allSatisfy(line -> assertThat(line.length()).isLessThan(121));
    }
  }

  private static void everyJobEnds(String tenant, String program, String script) throws Exception {
    assumeTrue(isInstalled(program), program + " is not installed, so this example is not tested");
    ApiClient api = server.newTenant(tenant);
    String path = "/v1/tenants/" + tenant;
    enqueue(api, path);
    int port = freePort();
    try (Program first = api(port)) {
      try (Program victim = worker(program, script, port, tenant, api.key())) {
        awaitEnded(api, path, 5);
        first.kill();
        // The worker repeats its calls until there is a server again.
        try (Program second = api(port)) {
          awaitEnded(api, path, 25);
          victim.kill();
          try (Program heir = worker(program, script, port, tenant, api.key())) {
            awaitEnded(api, path, JOBS);
            heir.signal("TERM");
            assertThat(heir.process.waitFor(30, TimeUnit.SECONDS)).as("it stops").isTrue();
            assertThat(heir.process.exitValue()).isZero();
          }
          second.kill();
        }
      }
    }
    JsonNode jobs = api.get(path + "/jobs?limit=100").expect(200).json().path("jobs");
    assertThat(jobs).hasSize(JOBS);
    assertThat(jobs)
        .allSatisfy(job -> {
          assertThat(job.path("state").asString()).isEqualTo("SUCCEEDED");
          if (job.path("task").asString().equals("example::add")) {
            assertThat(job.path("result").asInt()).isEqualTo(job.at("/payload/a").asInt() + 1);
          }
        });
    assertThat(deaths(tenant)).containsExactly("SELF_DECLARED", "SILENCE");
  }

  private static void enqueue(ApiClient api, String path) {
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      String job =
          i % 3 == 0
              ? "{\"task\":\"example::add\",\"payload\":{\"a\":%d,\"b\":1}}"
              : "{\"task\":\"example::count\",\"payload\":{\"a\":%d,\"steps\":10,\"pause\":0.1}}";
      jobs.append(i == 0 ? "" : ",").append(job.formatted(i));
    }
    api.post(path + "/jobs/bulk", "{\"jobs\":[%s]}".formatted(jobs)).expect(201);
  }

  private static void awaitEnded(ApiClient api, String path, int wanted) {
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(
                    api.get(path + "/jobs/counts")
                        .expect(200)
                        .json()
                        .at("/counts/SUCCEEDED")
                        .asInt(0))
                .isGreaterThanOrEqualTo(wanted));
  }

  private static List<String> deaths(String tenant) throws Exception {
    try (var connection = server.database().connect();
        var statement =
            connection.prepareStatement(
                """
                select n.death from holdfast_control.node n
                join holdfast_control.tenant t on t.id = n.tenant
                where t.name = ? and n.state = 'DEAD' order by n.death
                """)) {
      statement.setString(1, tenant);
      try (var rows = statement.executeQuery()) {
        List<String> deaths = new java.util.ArrayList<>();
        while (rows.next()) {
          deaths.add(rows.getString(1));
        }
        return deaths;
      }
    }
  }

  private static boolean isInstalled(String program) throws InterruptedException {
    try {
      return new ProcessBuilder(program, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** A server that only serves the API, in its own process. */
  private static Program api(int port) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.holdfast.server.node.ServerProgram",
                "port=" + port,
                "mode=api",
                "nodeTimeout=PT6S",
                "database.url=" + server.database().jdbcUrl(),
                "database.user=" + server.database().user(),
                "database.password=" + server.database().password())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader lines = process.inputReader(UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("READY")) {
        return new Program(process);
      }
    }
    throw new AssertionError("The server ended before it was ready");
  }

  private static Program worker(String program, String script, int port, String tenant, String key)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(program, EXAMPLES.resolve(script).toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder
        .environment()
        .putAll(
            Map.of(
                "HOLDFAST_URL",
                "http://localhost:" + port,
                "HOLDFAST_KEY",
                key,
                "HOLDFAST_TENANT",
                tenant,
                "HOLDFAST_CAPACITY",
                "4",
                // Longer than a server takes to start again.
                "HOLDFAST_TIMEOUT",
                "PT20S"));
    return new Program(builder.start());
  }

  /** A process that a test can kill. */
  private record Program(Process process) implements AutoCloseable {
    void signal(String name) throws IOException, InterruptedException {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    void kill() throws InterruptedException {
      process.destroyForcibly();
      process.waitFor();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
