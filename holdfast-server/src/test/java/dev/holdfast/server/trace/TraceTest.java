package dev.holdfast.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import dev.holdfast.server.trace.Collector.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a collector receives from a server. */
class TraceTest {
  private static final String T = "/v1/tenants/default";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static Collector collector;
  private static TestServer server;

  @BeforeAll
  static void start() throws Exception {
    collector = new Collector();
    server =
        new TestServer(
            Map.of(
                "otel.exporterOtlpEndpoint",
                collector.endpoint(),
                "otel.exporterOtlpHeaders",
                "X-Token=top%20secret",
                "otel.serviceName",
                "night-shift",
                "otel.resourceAttributes",
                "deployment.environment.name=test"));
  }

  @AfterAll
  static void stop() {
    server.close();
    collector.close();
  }

  private static ApiClient traced(String trace) {
    return server.tenant().header("traceparent", "00-" + trace + "-00f067aa0ba902b7-01");
  }

  /** Waits for a span of a trace, and returns it. */
  private static Seen span(String trace, String name) {
    return await()
        .atMost(SOON)
        .until(() -> Collector.named(collector.spans(trace), name), found -> found.isPresent())
        .orElseThrow();
  }

  @Test
  void aJobBelongsToTheTraceOfTheClientThatEnqueuedIt() {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    String job =
        traced(trace).post(T + "/jobs", "{\"task\":\"test::echo\"}").expect(201).text("id");

    Seen attempt = span(trace, "test::echo");
    Seen wait = span(trace, "wait test::echo");
    Seen enqueue = span(trace, "enqueue test::echo");
    Seen request = span(trace, "POST /v1/tenants/{tenant}/jobs");

    assertThat(request.parent()).isEqualTo("00f067aa0ba902b7");
    assertThat(request.kind()).as("SERVER").isEqualTo(2);
    assertThat(request.attribute("holdfast.tenant")).isEqualTo("default");
    assertThat(request.attribute("http.response.status_code")).isEqualTo("201");
    assertThat(enqueue.parent()).isEqualTo(request.id());
    assertThat(enqueue.kind()).as("PRODUCER").isEqualTo(4);
    assertThat(attempt.parent()).isEqualTo(enqueue.id());
    assertThat(attempt.kind()).as("CONSUMER").isEqualTo(5);
    assertThat(attempt.attribute("holdfast.job")).isEqualTo(job);
    assertThat(attempt.attribute("holdfast.tenant")).isEqualTo("default");
    assertThat(wait.parent()).isEqualTo(enqueue.id());
    assertThat(Long.parseLong(wait.json().path("endTimeUnixNano").asString()))
        .isGreaterThanOrEqualTo(Long.parseLong(wait.json().path("startTimeUnixNano").asString()));
  }

  @Test
  void theStepsOfARunBelongToTheTraceOfTheClientThatStartedIt() {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    String run =
        traced(trace)
            .post(T + "/runs", "{\"workflow\":\"test::chain\",\"input\":1}")
            .expect(201)
            .text("id");

    List<Seen> steps =
        await()
            .atMost(SOON)
            .until(
                () ->
                    collector.spans(trace).stream()
                        .filter(span -> span.name().equals("test::echo"))
                        .toList(),
                found -> found.size() == 2);
    Seen start = span(trace, "start test::chain");

    assertThat(start.parent()).isEqualTo(span(trace, "POST /v1/tenants/{tenant}/runs").id());
    assertThat(start.attribute("holdfast.run")).isEqualTo(run);
    assertThat(steps)
        .allSatisfy(step -> {
          assertThat(step.parent()).isEqualTo(start.id());
          assertThat(step.attribute("holdfast.run")).isEqualTo(run);
        })
        .extracting(step -> step.attribute("holdfast.step"))
        .containsExactlyInAnyOrder("0", "1");
  }

  @Test
  void aFailedAttemptIsAnErrorWithItsException() {
    String trace = "1af7651916cd43dd8448eb211c80319c";
    traced(trace).post(T + "/jobs", "{\"task\":\"test::fail\"}").expect(201);

    Seen failed = span(trace, "test::fail");

    assertThat(failed.json().at("/status/code").asInt()).isEqualTo(2);
    assertThat(failed.json().at("/events/0/name").asString("")).isEqualTo("exception");
  }

  @Test
  void theCollectorGetsTheHeadersAndTheNameOfTheService() {
    String trace = "2af7651916cd43dd8448eb211c80319c";
    traced(trace).get(T + "/jobs").expect(200);
    span(trace, "GET /v1/tenants/{tenant}/jobs");

    assertThat(collector.tokens()).containsOnly("top secret");
    assertThat(collector.requests().getFirst().at("/resourceSpans/0/resource").toString())
        .contains("\"service.name\"", "\"night-shift\"", "\"deployment.environment.name\"");
  }

  @Test
  void aCollectorThatRefusesSpansAffectsNoJob() throws Exception {
    try (Collector broken = new Collector();
        TestServer other = new TestServer(Map.of("otel.exporterOtlpEndpoint", broken.endpoint()))) {
      broken.refuse();
      other.tenant().post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201);
      other.tasks().started.acquire();
      await().atMost(SOON).until(() -> !broken.requests().isEmpty());
      other.tasks().release.release();
      other.tenant().post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201);
      other.tasks().started.acquire();
    }
  }
}
