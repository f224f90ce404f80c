package dev.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.http.EventSource.Event;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Feeds on an API server, of work that another server does. */
class FeedTest {
  private static final String T = "/v1/tenants/default";

  /** Less than the interval after which a feed looks although it has heard nothing. */
  private static final Duration TOLD = Duration.ofSeconds(15);

  private static TestServer server;
  private static ApiClient api;
  private static OpenTenant tenant;

  private final AtomicInteger looks = new AtomicInteger();
  private final Feeds feeds =
      new Feeds(
          new FeedViews(
              event -> "{\"kind\":\"%s\"}".formatted(event.kind()),
              any -> "{\"look\":%d}".formatted(looks.incrementAndGet()),
              any -> "{}"));

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("mode", "api"));
    server.start(Map.of("mode", "worker,scheduler"));
    api = server.tenant();
    tenant = server.server().tenants().open("default").orElseThrow();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private Subscription subscribe(String topic) {
    return Optional.ofNullable(feeds.subscribe(tenant, Topics.parse(List.of(topic), null)))
        .orElseThrow();
  }

  private static void block() throws InterruptedException {
    api.post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201);
    server.tasks().started.acquire();
  }

  @Test
  void clientsShareWhatIsReadAndAnIdleFeedReadsNothing() throws Exception {
    block(); // So that the node of the other server is in the tenant, and hears what is watched.
    List<Subscription> clients = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Subscription client = subscribe("jobs");
      clients.add(client);
      assertThat(client.next(TOLD)).as("the first snapshot of client %d", i).isPresent();
    }
    assertThat(looks.get()).as("looks for 500 clients").isLessThan(20);

    AtomicInteger before = new AtomicInteger();
    await()
        .atMost(Duration.ofSeconds(60))
        .during(Duration.ofSeconds(5))
        .until(() -> looks.get() == before.getAndSet(looks.get()));

    server.tasks().release.release(); // The end of a job, which only its node knows.
    for (Subscription client : clients) {
      Event last = new Event(null, "", "");
      while (!last.data().equals("{\"look\":%d}".formatted(before.get() + 1))) {
        last = client.next(TOLD).orElseThrow();
      }
    }
    clients.forEach(Subscription::close);
    assertThat(feeds.clients()).isZero();
  }

  @Test
  void aRunThatContinuesOnAnotherServerIsTold() throws Exception {
    String run = api.post(T + "/runs", "{\"workflow\":\"test::approval\"}").expect(201).text("id");
    Subscription client = subscribe("run:" + run);
    Optional<Event> event = client.next(Duration.ofSeconds(3));
    while (event.isPresent()) { // Until nothing more is said, also not by the looks after a start.
      event = client.next(Duration.ofSeconds(3));
    }

    api.post(T + "/runs/" + run + "/signals", "{\"name\":\"approved\",\"payload\":1}");

    List<String> kinds = new ArrayList<>();
    while (!client.isEnded()) {
      kinds.add(client.next(TOLD).orElseThrow().data());
    }
    assertThat(kinds).last().asString().contains("ENDED");
    client.close();
  }
}
