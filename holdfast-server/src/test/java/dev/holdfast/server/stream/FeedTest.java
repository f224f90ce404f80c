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
              event -> "{\"seq\":%d,\"kind\":\"%s\"}".formatted(event.seq(), event.kind()),
              any -> "{\"look\":%d}".formatted(looks.incrementAndGet()),
              any -> "{}",
              () -> "{}"));

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
    return subscribe(topic, null);
  }

  private Subscription subscribe(String topic, String lastEvent) {
    return Optional.ofNullable(feeds.subscribe(tenant, Topics.parse(List.of(topic), lastEvent)))
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
  void aRunThatContinuesOnAnotherServerIsReported() throws Exception {
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

  private static void signalState(String run, String act, String state) {
    api.post(T + "/runs/" + run + act).expect(204);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get(T + "/runs/" + run).text("state").equals(state));
  }

  private static int stored(String run) {
    return api.get(T + "/runs/" + run + "/events?limit=500").json().path("events").size();
  }

  @Test
  void aClientThatIsTooFarBehindIsEndedAndResumesWithoutAGap() throws Exception {
    String run = api.post(T + "/runs", "{\"workflow\":\"test::approval\"}").expect(201).text("id");
    Subscription slow = subscribe("run:" + run);
    List<String> seen = new ArrayList<>();
    String last = null;
    Optional<Event> event = slow.next(TOLD);
    while (event.isPresent()) { // Until it follows the run.
      seen.add(event.get().data());
      last = event.get().id();
      event = slow.next(Duration.ofMillis(500));
    }
    for (int i = 0; i < 34; i++) {
      signalState(run, "/pause", "PAUSED");
      signalState(run, "/resume", "RUNNING");
    }
    await().atMost(Duration.ofSeconds(60)).until(slow::isEnded);
    slow.close();

    int all = stored(run);
    assertThat(all).isGreaterThan(seen.size() + 64);
    try (Subscription resumed = subscribe("run:" + run, last)) {
      while (seen.size() < all) {
        seen.add(resumed.next(TOLD).orElseThrow().data());
      }
      assertThat(resumed.isEnded()).isFalse();
    }
    for (int i = 0; i < all; i++) {
      assertThat(seen.get(i)).contains("\"seq\":%d,".formatted(i + 1));
    }
  }

  @Test
  void aTenantHasALimitedNumberOfClientsAndAFeedWithoutClientsIsForgotten() {
    server.newTenant("second");
    OpenTenant other = server.server().tenants().open("second").orElseThrow();
    Topics jobs = Topics.parse(List.of("jobs"), null);
    List<Subscription> clients = new ArrayList<>();
    for (int i = 0; i < Feeds.MOST_OF_TENANT; i++) {
      clients.add(subscribe("jobs"));
    }
    assertThat(feeds.subscribe(tenant, jobs)).isNull();
    clients.add(Optional.ofNullable(feeds.subscribe(other, jobs)).orElseThrow());
    clients.add(Optional.ofNullable(feeds.subscribeToNodes()).orElseThrow());
    assertThat(feeds.size()).isEqualTo(3);

    clients.removeFirst().close();
    clients.add(subscribe("jobs"));
    clients.forEach(Subscription::close);
    clients.forEach(Subscription::close); // A second close counts nothing.
    assertThat(feeds.clients()).isZero();
    assertThat(feeds.size()).isZero();
  }

  @Test
  void aServerHasALimitedNumberOfClients() {
    List<OpenTenant> tenants = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      server.newTenant("many" + i);
      tenants.add(server.server().tenants().open("many" + i).orElseThrow());
    }
    Topics jobs = Topics.parse(List.of("jobs"), null);
    List<Subscription> clients = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      clients.add(Optional.ofNullable(feeds.subscribe(tenants.get(i % 5), jobs)).orElseThrow());
    }
    assertThat(feeds.subscribe(tenants.getFirst(), jobs)).isNull();
    clients.forEach(Subscription::close);
    assertThat(feeds.clients()).isZero();
  }
}
