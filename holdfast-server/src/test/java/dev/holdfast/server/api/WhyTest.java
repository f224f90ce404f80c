package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Each reason for which a job waits, made to happen. Each test has its own queue. */
class WhyTest {
  private static final String T = "/v1/tenants/default";
  private static final String SCHEMA = "holdfast_t1";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server =
        new TestServer(
            Map.of(
                "queues",
                "default=1,full=2,task=2,breaker=1,mode=1,stack=1,suspect=1,hang=1,park=1,busy=2"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String enqueue(String queue, String task, String more) {
    return tenant
        .post(T + "/jobs", "{\"queue\":\"%s\",\"task\":\"%s\"%s}".formatted(queue, task, more))
        .expect(201)
        .text("id");
  }

  /** Occupies a slot of a queue. */
  private static void block(String queue, String task) throws InterruptedException {
    enqueue(queue, task, task.equals("test::hang") ? ",\"timeout\":\"PT0.2S\"" : "");
    server.tasks().started.acquire();
  }

  private static void pause(String queue, boolean paused) {
    tenant.post(T + "/queues/" + queue + (paused ? "/pause" : "/resume")).expect(200);
  }

  private static void sql(String statement) throws SQLException {
    try (var connection = server.database().connect();
        var run = connection.createStatement()) {
      assertThat(run.executeUpdate(statement.replace("SCHEMA", SCHEMA))).isEqualTo(1);
    }
  }

  /** Waits until a job has a reason, and checks its parts. */
  private static JsonNode expect(String job, String code, String remedy) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(() -> assertThat(reason(tenant, job, 0, "code")).isEqualTo(code));
    JsonNode reason = tenant.get(T + "/jobs/" + job).expect(200).json().at("/why/0");
    assertThat(reason.path("message").asString()).isNotBlank();
    assertThat(reason.path("remedy").asString()).contains(remedy);
    assertThat(Instant.parse(reason.path("since").asString())).isBefore(Instant.now());
    return reason;
  }

  private static String reason(ApiClient client, String job, int index, String field) {
    return client
        .get(T + "/jobs/" + job)
        .expect(200)
        .json()
        .at("/why/" + index + "/" + field)
        .asString("");
  }

  @Test
  void notDue() {
    JsonNode why =
        expect(
            enqueue("default", "test::echo", ",\"runIn\":\"PT1H\""), "NOT_DUE", "requeue the job");
    assertThat(why.path("message").asString()).contains("due at");
  }

  @Test
  void queuePaused() {
    String job = enqueue("paused", "test::echo", "");
    tenant.post(T + "/queues/paused/pause", "{\"reason\":\"the mail server moves\"}").expect(200);
    JsonNode why = expect(job, "QUEUE_PAUSED", "queues/paused/resume");
    assertThat(why.path("message").asString()).contains("the mail server moves");
    JsonNode queue = tenant.get(T + "/queues/paused").expect(200).json();
    assertThat(queue.path("pauseReason").asString()).isEqualTo("the mail server moves");
    assertThat(why.path("since").asString())
        .as("the queue was paused after the job was due")
        .isEqualTo(queue.path("pausedAt").asString());

    String later = enqueue("paused", "test::echo", "");
    assertThat(expect(later, "QUEUE_PAUSED", "resume").path("since").asString())
        .as("the job was due after the queue was paused")
        .isEqualTo(tenant.get(T + "/jobs/" + later).text("runAt"));
    tenant.post(T + "/queues/paused/pause", "{\"reason\":\" \"}").expect(400);
  }

  @Test
  void queueFull() throws Exception {
    tenant.put(T + "/queues/full/limit", "{\"limit\":1}").expect(200);
    block("full", "test::block");
    expect(enqueue("full", "test::echo", ""), "QUEUE_FULL", "raise the limit of the queue");
  }

  @Test
  void taskFull() throws Exception {
    block("task", "test::block");
    pause("task", true);
    sql("insert into SCHEMA.task_rule (task, max_held) values ('test::block', 1)");
    try {
      String job = enqueue("task", "test::block", "");
      sql(
          "update SCHEMA.job set task_capped = true where id = (select id from SCHEMA.job where"
              + " task = 'test::block' and state = 'RUNNING' limit 1)");
      sql("update SCHEMA.queue set paused = false where name = 'task'");
      expect(job, "TASK_FULL", "raise the limit of the task");
    } finally {
      sql("delete from SCHEMA.task_rule where task = 'test::block'");
    }
  }

  @Test
  void breakerOpen() throws Exception {
    pause("breaker", true);
    String job = enqueue("breaker", "test::log", "");
    sql(
        "insert into SCHEMA.task_rule (task, breaker, open_until) values"
            + " ('test::log', 'OPEN', now() + interval '1 hour')");
    pause("breaker", false);
    expect(job, "BREAKER_OPEN", "trial job");
  }

  @Test
  void queueNotServed() {
    expect(enqueue("nobody", "test::echo", ""), "QUEUE_NOT_SERVED", "serves the queue");
  }

  @Test
  void taskNotServed() {
    expect(enqueue("default", "no::handler", ""), "TASK_NOT_SERVED", "Deploy a handler");
  }

  @Test
  void stackNotServed() throws Exception {
    pause("stack", true);
    String job = enqueue("stack", "test::echo", "");
    sql("update SCHEMA.job set stack = 'blue' where id = '%s'".formatted(job));
    pause("stack", false);
    expect(job, "STACK_NOT_SERVED", "serves the stack");
  }

  @Test
  void modeForbids() {
    String node = server.admin().get("/v1/nodes").json().at("/nodes/0/id").asString();
    server
        .admin()
        .put(
            "/v1/nodes/" + node + "/mode", "{\"mode\":\"trigger-only\",\"pattern\":\"test::fail\"}")
        .expect(200);
    awaitModes();
    pause("mode", true);
    String forbidden = enqueue("mode", "test::fail", "");
    pause("mode", false);
    expect(forbidden, "MODE_FORBIDS", "mode of a node to full");
    assertThat(reason(tenant, forbidden, 0, "message")).doesNotContain(node);
    assertThat(reason(server.admin(), forbidden, 0, "message")).contains(node);
    server
        .admin()
        .put("/v1/nodes/" + node + "/mode", "{\"mode\":\"full\",\"pattern\":\"test::fail\"}")
        .expect(200);
  }

  /**
   * Waits until the node has seen its modes, which the reply to a heartbeat tells it: after the
   * first one from now on, it sends another only when it has taken over what the first one told.
   */
  private static void awaitModes() {
    long before = beats();
    await().atMost(Duration.ofSeconds(90)).until(() -> beats() >= before + 2);
  }

  private static long beats() {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "select beat from holdfast_control.node where state = 'ALIVE'")) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void slotsLost() throws Exception {
    block("hang", "test::hang");
    String job = enqueue("hang", "test::echo", "");
    expect(job, "SLOTS_LOST", "Restart");
    String node = server.admin().get("/v1/nodes").json().at("/nodes/0/id").asString();
    assertThat(reason(tenant, job, 0, "message")).doesNotContain(node);
    assertThat(reason(server.admin(), job, 0, "message")).contains(node);
  }

  @Test
  void crashSuspect() throws Exception {
    block("suspect", "test::block");
    String job = enqueue("suspect", "test::echo", "");
    sql("update SCHEMA.job set crashes = 2, suspicion = 'SLOW' where id = '%s'".formatted(job));
    expect(job, "CRASH_SUSPECT", "slowly");
  }

  @Test
  void queued() throws Exception {
    block("default", "test::block");
    expect(enqueue("default", "test::echo", ""), "QUEUED", "add servers");
  }

  @Test
  void prefetched() throws Exception {
    String job = enqueue("nobody", "test::echo", "");
    sql("update SCHEMA.job set state = 'CLAIMED' where id = '%s'".formatted(job));
    expect(job, "PREFETCHED", "free slot");
    sql("update SCHEMA.job set state = 'READY' where id = '%s'".formatted(job));
  }

  @Test
  void idsOfNodesAreShownToKeysOfTheInstallationOnly() {
    String failed = T + "/jobs/" + enqueue("mode", "test::fail", ",\"retry\":{\"maxAttempts\":1}");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> tenant.get(failed).text("state").equals("FAILED"));
    String node = server.admin().get("/v1/nodes").json().at("/nodes/0/id").asString();

    assertThat(server.admin().get(failed).json().at("/failures/0/node").asString()).isEqualTo(node);
    assertThat(server.admin().get(failed).text("node")).isEqualTo(node);
    assertThat(tenant.get(failed).json().at("/failures/0/node").isNull()).isTrue();
    assertThat(tenant.get(failed).response().body()).doesNotContain(node);
    assertThat(tenant.get(T + "/jobs?task=test::fail").response().body()).doesNotContain(node);
  }

  @Test
  void runPaused() {
    pause("default", true);
    try {
      String run =
          tenant.post(T + "/runs", "{\"workflow\":\"test::chain\"}").expect(201).text("id");
      tenant.post(T + "/runs/" + run + "/pause").expect(204);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(tenant.get(T + "/jobs?state=ON_HOLD").json().at("/jobs/0/id").asString(""))
                  .isNotEmpty());
      String job = tenant.get(T + "/jobs?state=ON_HOLD").json().at("/jobs/0/id").asString();
      expect(job, "RUN_PAUSED", "runs/" + run + "/resume");
    } finally {
      pause("default", false);
    }
  }

  @Test
  void parked() {
    expect(enqueue("park", "test::park", ""), "PARKED", "Send signal 'go'");
  }

  @Test
  void tenantSuspended() {
    ApiClient frozen = server.newTenant("frozen");
    String path = "/v1/tenants/frozen/jobs";
    String job = frozen.post(path, "{\"task\":\"a\",\"runIn\":\"PT1H\"}").expect(201).text("id");
    server.admin().post("/v1/tenants/frozen/suspend").expect(200);
    JsonNode why = frozen.get(path + "/" + job).expect(200).json().path("why");
    assertThat(why.at("/0/code").asString()).isEqualTo("TENANT_SUSPENDED");
    assertThat(why.at("/0/remedy").asString()).contains("resume");
    assertThat(why.at("/1/code").asString()).isEqualTo("NOT_DUE");
  }

  @Test
  void tenantFull() throws Exception {
    String settings = "{\"name\":\"busy\",\"settings\":{\"maxHeld\":1}}";
    ApiClient busy =
        tenant.with(server.admin().post("/v1/tenants", settings).expect(201).text("key"));
    String path = "/v1/tenants/busy/jobs";
    String job = "{\"queue\":\"busy\",\"task\":\"test::%s\"%s}";
    busy.post(path, job.formatted("block", "")).expect(201);
    server.tasks().started.acquire();
    String waiting = busy.post(path, job.formatted("echo", "")).expect(201).text("id");
    JsonNode view = busy.get(path + "/" + waiting).expect(200).json();
    assertThat(view.at("/why/0/code").asString()).isEqualTo("TENANT_FULL");
    assertThat(view.at("/why/0/message").asString()).contains("(1)");
    assertThat(view.at("/why/0/remedy").asString()).contains("raise maxHeld");
    assertThat(view.at("/why/0/since").asString()).isEqualTo(view.path("runAt").asString());
    assertThat(view.at("/why/1/code").asString()).isEqualTo("QUEUED");
    String later =
        busy.post(path, job.formatted("echo", ",\"runIn\":\"PT1H\"")).expect(201).text("id");
    assertThat(busy.get(path + "/" + later).expect(200).json().at("/why/0/code").asString())
        .isEqualTo("NOT_DUE");
    String roomy = "{\"maxHeld\":2}";
    server.admin().send("PATCH", "/v1/tenants/busy/settings", roomy).expect(200);
    await()
        .atMost(Duration.ofSeconds(90))
        .until(() -> busy.get(path + "/" + waiting).text("state").equals("SUCCEEDED"));
  }

  /** Fails when a code is added without a test here. */
  @Test
  void everyCodeHasATest() {
    Set<String> tests = new TreeSet<>();
    for (var method : WhyTest.class.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Test.class)) {
        tests.add(method.getName().toLowerCase(java.util.Locale.ROOT));
      }
    }
    for (Class<?> reason : dev.holdfast.api.job.WaitReason.class.getPermittedSubclasses()) {
      String name = reason.getSimpleName().toLowerCase(java.util.Locale.ROOT);
      if (!name.equals("notwaiting")) {
        assertThat(tests).contains(name);
      }
    }
  }
}
