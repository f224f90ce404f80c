package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Clients that watch get every event once, and resume where they were. */
class StreamTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer();
    tenant = server.tenant();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(tenant.get(T + "/workflows").response().body()).contains("test::approval"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** An event as received. */
  private record Received(String id, String name, JsonNode data) {
    String kind() {
      return data.path("kind").asString("");
    }
  }

  /** A connection that reads events one at a time. */
  private static final class Watcher implements AutoCloseable {
    private final BufferedReader lines;
    private final InputStream body;

    Watcher(String query, String lastEvent) throws IOException, InterruptedException {
      this(tenant, T + "/stream?" + query, lastEvent);
    }

    Watcher(ApiClient client, String path, String lastEvent)
        throws IOException, InterruptedException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(client.server() + path))
              .header("Authorization", "Bearer " + client.key());
      if (lastEvent != null) {
        request.header("Last-Event-ID", lastEvent);
      }
      HttpResponse<InputStream> response =
          HttpClient.newHttpClient()
              .send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type").orElse(""))
          .startsWith("text/event-stream");
      body = response.body();
      lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    }

    /** The next event; null at the end of the stream. */
    Received next() throws IOException {
      String id = null;
      String name = null;
      String data = null;
      while (true) {
        String line = lines.readLine();
        if (line == null) {
          return null;
        }
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          data = line.substring(6);
        } else if (line.isEmpty() && name != null) {
          return new Received(id, name, Json.parse(data));
        }
      }
    }

    List<Received> rest() throws IOException {
      List<Received> all = new ArrayList<>();
      for (Received event = next(); event != null; event = next()) {
        all.add(event);
      }
      return all;
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  private static String start(String workflow) {
    return tenant
        .post(T + "/runs", "{\"workflow\":\"%s\"}".formatted(workflow))
        .expect(201)
        .text("id");
  }

  private static List<String> stored(String run) {
    List<String> kinds = new ArrayList<>();
    tenant
        .get(T + "/runs/" + run + "/events")
        .json()
        .path("events")
        .forEach(event -> kinds.add(event.path("seq").asString() + event.path("kind").asString()));
    return kinds;
  }

  private static List<String> seen(List<Received> events, String run) {
    return events.stream()
        .filter(event -> event.data().path("run").asString("").equals(run))
        .map(event -> event.data().path("seq").asString() + event.kind())
        .toList();
  }

  @Test
  void aRunIsWatchedFromItsFirstEventToItsEnd() throws Exception {
    String run = start("test::approval");
    List<Received> events = new ArrayList<>();
    try (Watcher watcher = new Watcher("topic=run:" + run, null)) {
      events.add(watcher.next());
      assertThat(events.getFirst().kind()).isEqualTo("CREATED");
      tenant
          .post(
              T + "/runs/" + run + "/signals",
              "{\"name\":\"approved\",\"payload\":{\"by\":\"ada\"}}")
          .expect(200);
      events.addAll(watcher.rest());
    }
    assertThat(events.getLast().kind()).isEqualTo("ENDED");
    assertThat(seen(events, run)).isEqualTo(stored(run)).doesNotHaveDuplicates();
  }

  @Test
  void aClientResumesAfterItsLastEvent() throws Exception {
    String one = start("test::approval");
    String two = start("test::approval");
    String topics = "topic=run:" + one + "&topic=run:" + two;
    List<Received> events = new ArrayList<>();
    try (Watcher watcher = new Watcher(topics, null)) {
      // An event id has the positions of both runs.
      while (seen(events, one).isEmpty() || seen(events, two).isEmpty()) {
        events.add(watcher.next());
      }
    }
    for (String run : List.of(one, two)) {
      tenant
          .post(
              T + "/runs/" + run + "/signals",
              "{\"name\":\"approved\",\"payload\":{\"by\":\"ada\"}}")
          .expect(200);
    }
    try (Watcher watcher = new Watcher(topics, events.getLast().id())) {
      events.addAll(watcher.rest());
    }
    assertThat(seen(events, one)).isEqualTo(stored(one));
    assertThat(seen(events, two)).isEqualTo(stored(two));
  }

  @Test
  void severalClientsOfOneRunAllSeeEverything() throws Exception {
    String run = start("test::approval");
    List<Watcher> watchers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Watcher watcher = new Watcher("topic=run:" + run, null);
      assertThat(watcher.next().kind()).isEqualTo("CREATED");
      watchers.add(watcher);
    }
    tenant
        .post(
            T + "/runs/" + run + "/signals", "{\"name\":\"approved\",\"payload\":{\"by\":\"ada\"}}")
        .expect(200);
    for (Watcher watcher : watchers) {
      List<Received> rest = watcher.rest();
      assertThat(seen(rest, run)).isEqualTo(stored(run).subList(1, stored(run).size()));
    }
  }

  @Test
  void jobsAndNodesAreSnapshots() throws Exception {
    try (Watcher watcher = new Watcher("topic=jobs,nodes", null)) {
      Received first = watcher.next();
      Received second = watcher.next();
      assertThat(List.of(first.name(), second.name())).containsExactlyInAnyOrder("jobs", "nodes");
      JsonNode nodes = (first.name().equals("nodes") ? first : second).data().path("nodes");
      // Which hosts there are is for operators of the installation.
      nodes.forEach(node -> assertThat(node.has("id")).isFalse());
      tenant.post(T + "/queues/watched/pause").expect(200);
      Received changed = watcher.next();
      while (!changed.data().toString().contains("\"watched\"")) {
        changed = watcher.next();
      }
      assertThat(changed.name()).isEqualTo("jobs");
    }
  }

  @Test
  void operatorsOfTheInstallationWatchItsNodes() throws Exception {
    String path = "/v1/stream?topic=nodes";
    String id = server.admin().get("/v1/nodes").json().at("/nodes/0/id").asString();
    try (Watcher watcher = new Watcher(server.admin(), path, null)) {
      Received first = watcher.next();
      assertThat(first.name()).isEqualTo("nodes");
      assertThat(first.data().at("/nodes/0/id").asString()).isEqualTo(id);
      assertThat(first.data().at("/nodes/0/mode").asString()).isEqualTo("full");
      server.admin().put("/v1/nodes/" + id + "/mode", "{\"mode\":\"trigger-only\"}").expect(200);
      Received changed = watcher.next();
      while (!changed.data().at("/nodes/0/mode").asString().equals("trigger-only")) {
        changed = watcher.next();
      }
    } finally {
      server.admin().put("/v1/nodes/" + id + "/mode", "{\"mode\":\"full\"}").expect(200);
    }
    tenant.get(path).expect(403, "FORBIDDEN");
    server.admin().get("/v1/stream?topic=jobs").expect(400, "INVALID_REQUEST");
    server.admin().get("/v1/stream?topic=nodes,jobs").expect(400, "INVALID_REQUEST");
    server.admin().get("/v1/stream").expect(400, "INVALID_REQUEST");
  }

  /** Returns how long a stream takes to end. */
  private static Duration end(Watcher watcher) throws Exception {
    long from = System.nanoTime();
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(() -> {
          try {
            watcher.rest();
          } catch (IOException broken) {
            throw new UncheckedIOException(broken);
          }
        });
    ended.get(30, TimeUnit.SECONDS);
    return Duration.ofNanos(System.nanoTime() - from);
  }

  private static String id(ApiClient key) {
    return KeyText.parse(key.key()).orElseThrow().id();
  }

  @Test
  void aRevokedKeyLosesItsStreams() throws Exception {
    ApiClient key = server.newKey("{\"name\":\"leaves\",\"preset\":\"viewer\"}");
    ApiClient elsewhere = new ApiClient(server.start(Map.of("mode", "api")).url(), key.key());
    try (Watcher here = new Watcher(key, T + "/stream?topic=jobs", null);
        Watcher there = new Watcher(elsewhere, T + "/stream?topic=jobs", null);
        Watcher other = new Watcher("topic=jobs", null)) {
      here.next();
      there.next();
      other.next();
      tenant.delete(T + "/api-keys/" + id(key)).expect(204);
      assertThat(end(here)).isLessThan(Duration.ofSeconds(6));
      assertThat(end(there)).isLessThan(Duration.ofSeconds(6));
      tenant.post(T + "/queues/goeson/pause").expect(200);
      Received next = other.next(); // The stream of another key goes on.
      while (!next.data().toString().contains("goeson")) {
        next = other.next();
      }
    }
  }

  @Test
  void aKeyThatExpiresLosesItsStreams() throws Exception {
    ApiClient key =
        server.newKey(
            "{\"name\":\"short\",\"expiresAt\":\"%s\"}".formatted(Instant.now().plusSeconds(10)));
    try (Watcher watcher = new Watcher(key, T + "/stream?topic=jobs", null)) {
      watcher.next();
      key.get("/v1/me").expect(200);
      end(watcher);
      key.get("/v1/me").expect(401);
    }
  }

  @Test
  void aDeletedTenantHasNoStreams() throws Exception {
    ApiClient key = server.newTenant("leaving");
    String path = "/v1/tenants/leaving/stream?topic=jobs";
    try (Watcher own = new Watcher(key, path, null);
        Watcher admin = new Watcher(server.admin(), path, null)) {
      own.next();
      admin.next();
      server.admin().post("/v1/tenants/leaving/suspend").expect(200);
      key.get("/v1/tenants/leaving/jobs").expect(200); // Reading is still allowed, and watching.
      server.admin().delete("/v1/tenants/leaving?force=true").expect(200);
      assertThat(end(own)).isLessThan(Duration.ofSeconds(6));
      assertThat(end(admin)).isLessThan(Duration.ofSeconds(6));
    }
  }

  @Test
  void wrongTopicsAreRefused() {
    tenant.get(T + "/stream").expect(400, "INVALID_REQUEST");
    tenant.get(T + "/stream?topic=everything").expect(400, "INVALID_REQUEST");
    tenant.get(T + "/stream?topic=run:x").expect(400, "INVALID_REQUEST");
    tenant
        .get(T + "/stream?topic=run:0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e")
        .expect(404, "RUN_NOT_FOUND");
  }
}
