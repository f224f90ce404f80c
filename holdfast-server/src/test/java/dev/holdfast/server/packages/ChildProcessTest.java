package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.packages.load.Sandbox;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packages of several tenants, in a process for each tenant: what one of them does is no harm for
 * the other, and gains nothing.
 */
class ChildProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String BAD =
      """
      static String run(String input, TaskContext context) throws Exception {
        String[] words = input.split(" ", 2);
        switch (words[0]) {
          case "exit": System.exit(3);
          case "heap": {
            List<long[]> all = new ArrayList<>();
            while (true) { all.add(new long[1 << 20]); }
          }
          case "spin": return Spin.TEXT;
          case "ignore": while (true) { Thread.interrupted(); }
          case "environment":
            return System.getenv() + " " + System.getProperties() + " "
                + ProcessHandle.current().info();
          case "read": return java.nio.file.Files.readString(java.nio.file.Path.of(words[1]));
          case "list": {
            StringBuilder found = new StringBuilder();
            try (var all = java.nio.file.Files.list(java.nio.file.Path.of(words[1]))) {
              all.forEach(path -> found.append(path).append(' '));
            }
            return found.toString();
          }
          case "jars": {
            List<String> found = new ArrayList<>();
            try (var all = java.nio.file.Files.list(java.nio.file.Path.of("").toAbsolutePath())) {
              all.map(String::valueOf).filter(name -> name.endsWith(".jar")).forEach(found::add);
            }
            return String.join(" and ", found);
          }
          case "resource": {
            try (var in = Stock.class.getResourceAsStream("/META-INF/holdfast-package.json")) {
              return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            }
          }
          case "driver": return Class.forName("org.postgresql.Driver").getName();
          case "fork":
            return String.valueOf(new ProcessBuilder("sh", "-c", words[1]).start().pid());
          case "steps": {
            var steps = context.steps();
            int first = steps.run("count", Integer.class, () -> RUNS.incrementAndGet());
            steps.sleep("pause", Duration.ofMillis(200));
            return first + " of " + RUNS.get() + ", "
                + steps.awaitSignal("never", Duration.ofMillis(200));
          }
          case "transaction":
            return context.steps().transaction("one", String.class, connection -> "x");
          case "files": {
            int open = 0;
            try {
              while (true) {
                OPEN.add(new java.io.FileInputStream("/proc/self/status"));
                open++;
              }
            } catch (java.io.IOException full) {
              throw new IllegalStateException(open + " files: " + full.getMessage());
            }
          }
          case "threads": {
            var end = new java.util.concurrent.CountDownLatch(1);
            int running = 0;
            try {
              while (true) {
                Thread.ofPlatform().daemon().start(() -> {
                  try {
                    end.await();
                  } catch (InterruptedException over) {
                    return;
                  }
                });
                running++;
              }
            } catch (OutOfMemoryError full) {
              end.countDown();
              return "started " + running;
            }
          }
          case "busy": {
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            for (int i = 0; i < 64; i++) {
              Thread.ofPlatform().daemon().start(() -> {
                while (System.nanoTime() < end) { Thread.onSpinWait(); }
              });
            }
            return "busy";
          }
          case "status": {
            String stat = java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/stat"));
            return "nice " + stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16] + " "
                + java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/status"));
          }
          case "secret": return String.valueOf(context.secret(words[1]).length());
          default: return "hello " + input;
        }
      }
      static final List<Object> OPEN = new ArrayList<>();
      static final java.util.concurrent.atomic.AtomicInteger RUNS =
          new java.util.concurrent.atomic.AtomicInteger();
      static final class Spin {
        static String TEXT = "never";
        static { while (TEXT != null) { Thread.onSpinWait(); } }
      }
      """;

  @TempDir private static Path folder;
  private static TestServer server;
  private static ApiClient bad;
  private static ApiClient good;

  @BeforeAll
  static void start() throws Exception {
    server =
        new TestServer(
            Map.of(
                "nodeTimeout",
                "PT6S",
                "drain",
                "PT3S",
                "packages.heap",
                "64",
                "packages.cpus",
                "1",
                "packages.files",
                "300",
                "packages.threads",
                "200"));
    bad = server.tenant();
    good = server.newTenant("good");
    pushBad("1");
    TestPackage.push(good, "good", new TestPackage(folder, "kind").version("1", "kind").jar())
        .expect(201);
  }

  private static void pushBad(String version) throws Exception {
    new TestPackage(folder.resolve(version), "bad")
        .version(
            version,
            BAD,
            "binder.handle(SAY, (input, context) -> run(input, context)); binder.workflow(TALK);")
        .push(bad)
        .expect(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String post(ApiClient client, String tenant, String task, String payload) {
    return client
        .post(
            "/v1/tenants/%s/jobs".formatted(tenant),
            "{\"task\":\"%s\",\"payload\":\"%s\",\"timeout\":\"PT5S\",\"retry\":{\"maxAttempts\":1}}"
                .formatted(task, payload))
        .expect(201)
        .text("id");
  }

  private static Reply ended(ApiClient client, String tenant, String job) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> client.get("/v1/tenants/%s/jobs/%s".formatted(tenant, job)).text("state"),
            state -> state.equals("SUCCEEDED") || state.equals("FAILED"));
    return client.get("/v1/tenants/%s/jobs/%s".formatted(tenant, job));
  }

  private static Reply bad(String payload) {
    return ended(bad, "default", post(bad, "default", "bad::say", payload));
  }

  /** Whatever the package of one tenant has done, that of the other works, and so does its own. */
  @AfterEach
  void othersWork() {
    assertThat(ended(good, "good", post(good, "good", "kind::say", "x")).text("result"))
        .isEqualTo("kind");
    assertThat(bad("again").text("result")).isEqualTo("hello again");
  }

  @Test
  void aPackageThatEndsItsProcessCostsOnlyItsOwnJob() {
    Reply job = bad("exit");

    assertThat(job.text("state")).isEqualTo("FAILED");
    assertThat(job.json().path("failures").toString()).contains("CRASHED");
  }

  @Test
  void aPackageThatFillsTheHeapCostsOnlyItsOwnJob() {
    assertThat(bad("heap").text("state")).isEqualTo("FAILED");
  }

  @Test
  void aStaticInitialiserThatNeverEndsCostsOnlyItsOwnJob() {
    assertThat(bad("spin").text("state")).isEqualTo("FAILED");
  }

  @Test
  void aHandlerThatIgnoresItsInterruptionCostsOnlyItsOwnJob() {
    assertThat(bad("ignore").text("state")).isEqualTo("FAILED");
  }

  @Test
  void aPackageThatOpensFilesWithoutEndFailsInItsOwnProcess() {
    Assumptions.assumeTrue(Sandbox.ofSystem().limits());
    String failures = bad("files").json().path("failures").toString();

    assertThat(failures).contains("Too many open files");
    assertThat(Integer.parseInt(failures.replaceAll("(?s).*?(\\d+) files: .*", "$1")))
        .isLessThan(300);
  }

  @Test
  void aPackageThatStartsThreadsWithoutEndFailsInItsOwnProcess() {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser());
    String started = bad("threads").text("result");

    assertThat(Integer.parseInt(started.substring("started ".length()))).isBetween(1, 200);
  }

  @Test
  void aProcessUsesOnlySomeCpusAndYieldsToTheServer() {
    Assumptions.assumeTrue(Sandbox.ofSystem().limits());
    String status = bad("status").text("result");

    assertThat(status).startsWith("nice 10 ").containsPattern("Cpus_allowed_list:\\s+\\d+\n");
  }

  @Test
  void aPackageThatComputesOnManyThreadsLeavesTimeForOthers() {
    assertThat(bad("busy").text("result")).isEqualTo("busy");

    for (int i = 0; i < 10; i++) {
      long start = System.nanoTime();
      assertThat(ended(good, "good", post(good, "good", "kind::say", "x")).text("result"))
          .isEqualTo("kind");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void aHandlerExecutesDurableSteps() {
    assertThat(bad("steps").text("result")).matches("(\\d+) of \\1, false");
    assertThat(bad("transaction").json().path("failures").toString())
        .contains("UnsupportedOperationException")
        .contains("transaction in the database");
  }

  @Test
  void theEnvironmentHasNothingOfTheServer() {
    String seen = bad("environment").text("result");

    assertThat(seen)
        .startsWith("{")
        .doesNotContain(server.database().password())
        .doesNotContain(server.database().jdbcUrl())
        .doesNotContain(TestServer.MASTER_KEY)
        .doesNotContain("HOME=")
        .doesNotContain("holdfast_live_");
    assertThat(seen.substring(0, seen.indexOf('}'))).doesNotContain(",");
  }

  @Test
  void theClassPathHasNoDatabaseDriver() {
    assertThat(bad("driver").json().path("failures").toString()).contains("ClassNotFound");
  }

  @Test
  void filesOfTheServerCannotBeRead() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser());
    Path config =
        Files.createTempFile(
            "holdfast",
            ".yaml",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(config, "database.password: secret-of-the-server");
      assertThat(bad("read " + config).json().path("failures").toString())
          .contains("AccessDenied")
          .doesNotContain("secret-of-the-server");
      long pid = ProcessHandle.current().pid();
      assertThat(bad("read /proc/" + pid + "/environ").text("state")).isEqualTo("FAILED");
    } finally {
      Files.delete(config);
    }
  }

  /** Otherwise a tenant that pushes often would run out of disk space. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void theJarOfAReplacedVersionIsDeleted() throws Exception {
    assertThat(bad("resource").text("result")).contains("bad::say");
    pushBad("2");

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(bad("jars").json().path("result").asString())
                .as("the only jar, of the version that works")
                .endsWith(".jar")
                .doesNotContain(" and "));
  }

  @Test
  void aForkedProcessEndsWithItsProcess() {
    Assumptions.assumeTrue(Sandbox.ofSystem().namespaces());
    assertThat(bad("fork exec sleep 98761").text("state")).isEqualTo("SUCCEEDED");
    assertThat(running("98761")).isTrue();

    assertThat(bad("exit").text("state")).isEqualTo("FAILED");

    await().atMost(PATIENCE).until(() -> !running("98761"));
  }

  private static boolean running(String argument) {
    return ProcessHandle.allProcesses()
        .anyMatch(process -> process.info().commandLine().orElse("").endsWith(argument));
  }

  @Test
  void aSecretOfTheTenantReachesItsPackageAndNoOther() {
    good.put("/v1/tenants/good/secrets/of-good", "{\"value\":\"value-of-good\"}").expect(200);
    bad.put("/v1/tenants/default/secrets/own", "{\"value\":\"twelve chars\"}").expect(200);

    assertThat(bad("secret own").text("result")).isEqualTo("12");
    assertThat(bad("secret of-good").text("state")).isEqualTo("FAILED");
  }

  @Test
  void runsOfAPackageStartAndEndInItsProcess() {
    String run =
        bad.post("/v1/tenants/default/runs", "{\"workflow\":\"bad::talk\",\"input\":\"x\"}")
            .expect(201)
            .text("id");
    String path = "/v1/tenants/default/runs/" + run;
    await()
        .atMost(PATIENCE)
        .until(() -> bad.get(path).json().at("/steps/0/state").asString(), "SUCCEEDED"::equals);
    bad.post(path + "/signals", "{\"name\":\"go\",\"payload\":\"y\"}").expect(200);
    await().atMost(PATIENCE).until(() -> bad.get(path).text("state"), "SUCCEEDED"::equals);

    assertThat(bad.get(path).text("result")).isEqualTo("hello y");
  }
}
