package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(tenant.server() + T + "/stream?" + query))
              .header("Authorization", "Bearer " + tenant.key());
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
      events.add(watcher.next());
      events.add(watcher.next());
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
      tenant.post(T + "/queues/watched/pause").expect(200);
      Received changed = watcher.next();
      while (!changed.data().toString().contains("\"watched\"")) {
        changed = watcher.next();
      }
      assertThat(changed.name()).isEqualTo("jobs");
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
