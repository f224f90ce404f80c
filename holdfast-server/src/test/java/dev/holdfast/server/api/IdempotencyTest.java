package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A repeated creation creates nothing new, also if the server died before it stored the result. */
class IdempotencyTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer();
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ApiClient once(String key) {
    return tenant.header("Idempotency-Key", key);
  }

  /** Removes the result of a request, as if the server had died before it was stored. */
  private static void crashed(String key) throws Exception {
    try (var connection = server.database().connect();
        var statement =
            connection.prepareStatement(
                "update holdfast_control.idempotency set status = null, body = null"
                    + " where idempotency_key = ?")) {
      statement.setString(1, key);
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
  }

  private static int jobs(String task) {
    return tenant.get(T + "/jobs?task=" + task).json().path("jobs").size();
  }

  @Test
  void aRepeatedEventStartsNoSecondJob() throws Exception {
    tenant.put(T + "/triggers/one", "{\"event\":\"paid\",\"task\":\"event::one\"}").expect(200);
    tenant.put(T + "/triggers/two", "{\"event\":\"paid\",\"task\":\"event::two\"}").expect(200);
    String event = "{\"event\":\"paid\",\"payload\":{\"order\":7}}";
    Reply first = once("event").post(T + "/events", event).expect(200);
    assertThat(once("event").post(T + "/events", event).json()).isEqualTo(first.json());
    crashed("event");
    Reply again = once("event").post(T + "/events", event).expect(200);
    assertThat(again.json().at("/outcomes/0/job")).isEqualTo(first.json().at("/outcomes/0/job"));
    assertThat(again.json().at("/outcomes/1/job")).isEqualTo(first.json().at("/outcomes/1/job"));
    assertThat(jobs("event::one")).isEqualTo(1);
    assertThat(jobs("event::two")).isEqualTo(1);
  }

  /** The window of a trigger is for equal events, not for repeats of one. */
  @Test
  void aRepeatedEventStartsNoSecondJobAfterTheWindowOfTheTrigger() throws Exception {
    for (String name : List.of("a", "b")) {
      tenant
          .put(
              T + "/triggers/short-" + name,
              "{\"event\":\"short\",\"task\":\"short::%s\",\"window\":\"PT1S\"}".formatted(name))
          .expect(200);
    }
    String event = "{\"event\":\"short\",\"payload\":{\"order\":7}}";
    JsonNode first = once("short").post(T + "/events", event).expect(200).json();
    // One job is live and the other has ended.
    String ended = first.at("/outcomes/1/job").asString();
    tenant.post(T + "/jobs/" + ended + "/cancel").expect(200);
    windowsAreOver();
    crashed("short");
    assertThat(once("short").post(T + "/events", event).expect(200).json()).isEqualTo(first);
    assertThat(jobs("short::a")).isEqualTo(1);
    assertThat(jobs("short::b")).isEqualTo(1);

    windowsAreOver();
    once("another").post(T + "/events", event).expect(200);
    assertThat(jobs("short::a")).as("another call starts another job").isEqualTo(2);
  }

  private static void windowsAreOver() throws Exception {
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var id =
            statement.executeQuery(
                "select id from holdfast_control.tenant where name = 'default'")) {
      id.next();
      try (var update = connection.createStatement()) {
        update.executeUpdate(
            "update holdfast_t%d.unique_ledger set expires_at = now()".formatted(id.getInt(1)));
      }
    }
  }

  @Test
  void aRepeatedFireFiresOnce() throws Exception {
    String schedule = "{\"task\":\"fire::one\",\"every\":\"PT9H\",\"overlap\":\"ALLOW\"}";
    tenant.put(T + "/schedules/fired", schedule).expect(201);
    String job = once("fire").post(T + "/schedules/fired/fire").expect(201).text("job");
    crashed("fire");
    assertThat(once("fire").post(T + "/schedules/fired/fire").expect(201).text("job"))
        .isEqualTo(job);
    assertThat(jobs("fire::one")).isEqualTo(1);
  }

  @Test
  void aRepeatedRerunStartsOneRun() throws Exception {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/workflows").response().body()).contains("test::chain"));
    String run = tenant.post(T + "/runs", "{\"workflow\":\"test::chain\"}").expect(201).text("id");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(tenant.get(T + "/runs/" + run).text("state")).isEqualTo("SUCCEEDED"));
    String fresh = once("rerun").post(T + "/runs/" + run + "/rerun").expect(201).text("id");
    crashed("rerun");
    assertThat(once("rerun").post(T + "/runs/" + run + "/rerun").expect(201).text("id"))
        .isEqualTo(fresh);

    List<Callable<String>> calls = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      calls.add(() -> once("reruns").post(T + "/runs/" + run + "/rerun").expect(201).text("id"));
    }
    Set<String> ids = new HashSet<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      for (Future<String> each : threads.invokeAll(calls)) {
        ids.add(each.get());
      }
    }
    assertThat(ids).hasSize(1);
    assertThat(tenant.get(T + "/runs?workflow=test::chain").json().path("runs").size())
        .as("the run, its rerun, and the one of the concurrent requests")
        .isEqualTo(3);
  }

  @Test
  void aRepeatedSignalIsSentOnce() throws Exception {
    String job = tenant.post(T + "/jobs", "{\"task\":\"test::park\"}").expect(201).text("id");
    String path = T + "/jobs/" + job + "/signals";
    String signal = "{\"name\":\"other\",\"payload\":1}";
    assertThat(once("signal").post(path, signal).expect(200).text("result")).isEqualTo("SENT");
    crashed("signal");
    assertThat(once("signal").post(path, signal).expect(200).text("result")).isEqualTo("DUPLICATE");
    tenant.post(T + "/jobs/" + job + "/cancel").expect(200);
  }

  /** The tenant is complete, and its key was lost with the reply: an admin creates another. */
  @Test
  void aTenantIsNotCreatedTwice() throws Exception {
    ApiClient admin = server.admin().header("Idempotency-Key", "tenant");
    String body = "{\"name\":\"repeated\"}";
    Reply first = admin.post("/v1/tenants", body).expect(201);
    Reply second = admin.post("/v1/tenants", body).expect(201);
    assertThat(second.text("code")).isEqualTo("SECRET_ALREADY_SHOWN");
    assertThat(second.response().body()).doesNotContain(first.text("key"));
    crashed("tenant");
    admin.post("/v1/tenants", body).expect(409, "TENANT_EXISTS");
  }
}
