package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions of packages that run in the process of a server with one tenant. */
class PackageRunTest {
  private static final String T = "/v1/tenants/default";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private static Path folder;
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("nodeTimeout", "PT6S"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static TestPackage named(String name) {
    return new TestPackage(folder, name);
  }

  private static String startRun(String name) {
    return tenant
        .post(T + "/runs", "{\"workflow\":\"%s::talk\",\"input\":\"x\"}".formatted(name))
        .expect(201)
        .text("id");
  }

  private static void awaitFirstStep(String run) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> tenant.get(T + "/runs/" + run).json().at("/steps/0/state").asString(),
            "SUCCEEDED"::equals);
  }

  private static String go(String run) {
    tenant.post(T + "/runs/" + run + "/signals", "{\"name\":\"go\",\"payload\":\"y\"}").expect(200);
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/runs/" + run).text("state"), "SUCCEEDED"::equals);
    return tenant.get(T + "/runs/" + run).text("result");
  }

  private static Reply ended(String task) {
    String job =
        tenant
            .post(T + "/jobs", "{\"task\":\"%s\",\"payload\":\"x\"}".formatted(task))
            .expect(201)
            .text("id");
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/jobs/" + job).text("state"), "SUCCEEDED"::equals);
    return tenant.get(T + "/jobs/" + job);
  }

  private static void awaitLoaded(String... versions) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(server.server().loadedPackages()).contains(versions));
  }

  private static void awaitUnloaded(String version) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(server.server().loadedPackages()).doesNotContain(version));
  }

  @Test
  void newRunsUseTheNewVersionAndRunsInFlightStayOnTheirs() throws Exception {
    TestPackage talk = named("talk").version("1", "one");
    talk.push(tenant).expect(201);
    String old = startRun("talk");
    awaitFirstStep(old);
    talk.version("2", "two").push(tenant).expect(201);
    String fresh = startRun("talk");
    awaitFirstStep(fresh);
    awaitLoaded("talk@1", "talk@2");

    assertThat(tenant.get(T + "/jobs?task=talk::say").expect(200).json().path("jobs"))
        .extracting(job -> job.path("stack").asString())
        .containsExactlyInAnyOrder("talk@1", "talk@2");
    assertThat(go(old)).isEqualTo("one");
    assertThat(go(fresh)).isEqualTo("two");
    awaitUnloaded("talk@1");
    assertThat(server.server().loadedPackages()).contains("talk@2");
  }

  @Test
  void aGraphThatReturnsToAnEarlierFormIsUsedAgain() throws Exception {
    TestPackage back = named("back").version("1", "one");
    back.push(tenant).expect(201);
    back.version(
            "2",
            """
            static final Workflow<String, String> SHORT =
                Workflow.defineWithResult("back::talk", String.class, flow -> flow.step("only", SAY, flow.input()));
            """,
            """
            binder.handle(SAY, (input, context) -> "two");
            binder.workflow(SHORT);
            """)
        .push(tenant)
        .expect(201);
    String second = startRun("back");
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/runs/" + second).text("state"), "SUCCEEDED"::equals);
    back.version("3", "three").push(tenant).expect(201);

    String third = startRun("back");
    awaitFirstStep(third);
    assertThat(go(third)).isEqualTo("three");
  }

  @Test
  void jobsSchedulesAndTriggersUseTheNewestVersion() throws Exception {
    TestPackage jobs = named("jobs").version("1", "one");
    jobs.push(tenant).expect(201);
    assertThat(ended("jobs::say").text("result")).isEqualTo("one");
    tenant
        .put(
            T + "/schedules/of-jobs",
            "{\"task\":\"jobs::say\",\"every\":\"PT1H\",\"payload\":\"x\"}")
        .expect(201);
    tenant
        .put(T + "/triggers/of-jobs", "{\"event\":\"jobs.event\",\"task\":\"jobs::say\"}")
        .expect(200);
    jobs.version("2", "two").push(tenant).expect(201);

    assertThat(ended("jobs::say").text("result")).isEqualTo("two");
    tenant.post(T + "/schedules/of-jobs/fire").expect(201);
    tenant.post(T + "/events", "{\"event\":\"jobs.event\",\"payload\":\"x\"}").expect(200);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/jobs?task=jobs::say&state=SUCCEEDED").json().path("jobs"))
                .extracting(job -> job.path("stack").asString())
                .containsExactlyInAnyOrder("jobs@1", "jobs@2", "jobs@2", "jobs@2"));
  }

  @Test
  void aPackageCanEnqueueTasksOfAnother() throws Exception {
    named("callee").version("1", "called").push(tenant).expect(201);
    named("caller")
        .version(
            "1",
            "static final TaskType<String, String> CALLEE = TaskType.of(\"callee::say\","
                + " String.class, String.class);",
            """
            binder.handle(SAY, (input, context) ->
                context.client().enqueue(CALLEE, input).id().toString());
            """)
        .push(tenant)
        .expect(201);

    String called = ended("caller::say").text("result");
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/jobs/" + called).text("state"), "SUCCEEDED"::equals);
    assertThat(tenant.get(T + "/jobs/" + called).text("stack")).isEqualTo("callee@1");
  }

  @Test
  void aVersionWithLiveWorkIsNotDeleted() throws Exception {
    TestPackage used = named("used").version("1", "one");
    used.push(tenant).expect(201);
    String run = startRun("used");
    awaitFirstStep(run);

    tenant.delete(T + "/packages/used/versions/1").expect(409, "PACKAGE_IN_USE");
    assertThat(go(run)).isEqualTo("one");
    tenant.delete(T + "/packages/used/versions/1").expect(204);
    awaitUnloaded("used@1");
  }

  @Test
  void aDeletedNewestVersionMakesTheOneBeforeNewest() throws Exception {
    TestPackage fallback = named("fallback").version("1", "one");
    fallback.push(tenant).expect(201);
    fallback.version("2", "two").push(tenant).expect(201);
    assertThat(ended("fallback::say").text("result")).isEqualTo("two");

    tenant.delete(T + "/packages/fallback/versions/2").expect(204);

    assertThat(ended("fallback::say").text("result")).isEqualTo("one");
  }

  @Test
  void classesOfAnUnloadedVersionAreCollected() throws Exception {
    TestPackage many = named("many");
    for (int i = 0; i <= 3; i++) {
      many.version(
              String.valueOf(i),
              "static final class Marker {} static final Marker MARK = new Marker();",
              "binder.handle(SAY, (input, context) -> \"text%d\");".formatted(i))
          .push(tenant)
          .expect(201);
      assertThat(ended("many::say").text("result")).isEqualTo("text" + i);
    }
    awaitUnloaded("many@0");
    awaitUnloaded("many@1");
    awaitUnloaded("many@2");

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          System.gc();
          assertThat(loadedClasses("shop.Stock$Marker")).isEqualTo(1);
        });
  }

  /** Counts the classes of this name that have a live instance, in all class loaders. */
  private static long loadedClasses(String name) throws Exception {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    return histogram.toString().lines().filter(line -> line.contains(" " + name)).count();
  }

  @Test
  void anotherServerTakesOverTheJobsOfAPackage() throws Exception {
    TestPackage moved = named("moved").version("1", "one");
    moved.push(tenant).expect(201);
    try (HoldfastServer other = server.start(Map.of("nodeTimeout", "PT6S"))) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(other.loadedPackages()).contains("moved@1"));
      String run = startRun("moved");
      awaitFirstStep(run);
      assertThat(go(run)).isEqualTo("one");
    }
  }
}
