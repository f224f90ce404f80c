package dev.holdfast.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.cli.print.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A client whose server loses replies, refuses, or is not one of Holdfast. */
class HttpApiTest {

  /** What the server does with a request. */
  private interface Behaviour {
    void respond(HttpExchange exchange) throws IOException;
  }

  private final Deque<Behaviour> script = new ArrayDeque<>();
  private final List<String> keys = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private HttpServer server;
  private HttpApi api;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(command -> Thread.ofVirtual().start(command));
    server.start();
    api = api(Duration.ofSeconds(60));
  }

  private HttpApi api(Duration timeout) {
    return new HttpApi(
        URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "secret", timeout);
  }

  private synchronized void handle(HttpExchange exchange) throws IOException {
    keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
    exchange.getRequestBody().readAllBytes();
    script.removeFirst().respond(exchange);
  }

  @AfterEach
  void close() {
    end.countDown();
    api.close();
    server.stop(0);
  }

  /** Carries the request out and closes the connection before it responds. */
  private static void losesReply(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 100);
    exchange.close();
  }

  private static Behaviour responds(int status, String type, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    };
  }

  private static Behaviour problem(int status, String code) {
    return responds(
        status,
        "application/problem+json",
        "{\"title\":\"A title\",\"detail\":\"A detail\",\"code\":\"%s\"}".formatted(code));
  }

  private static final Behaviour OK = responds(200, "application/json", "{\"ok\":true}");
  private static final JsonNode BODY = Json.object().put("a", 1);

  @Test
  void aReadIsRepeatedWhenItsReplyIsLost() {
    script.addAll(List.of(HttpApiTest::losesReply, problem(503, "STOPPING"), OK));

    assertThat(api.send(ApiRequest.get("/x")).get("ok").booleanValue()).isTrue();
    assertThat(keys).hasSize(3).containsOnly("null");
  }

  @Test
  void aCreationIsRepeatedWithTheSameIdempotencyKey() {
    script.addAll(List.of(HttpApiTest::losesReply, HttpApiTest::losesReply, OK));

    assertThat(api.send(ApiRequest.create("/x", BODY)).get("ok").booleanValue()).isTrue();
    assertThat(keys).hasSize(3).doesNotContain("null");
    assertThat(keys.stream().distinct()).hasSize(1);

    script.add(OK);
    api.send(ApiRequest.create("/x", BODY));
    assertThat(keys.stream().distinct()).hasSize(2);
  }

  @Test
  void aChangeIsNotRepeatedAndItsOutcomeIsCalledUnknown() {
    for (ApiRequest request :
        List.of(
            ApiRequest.change("POST", "/x", null),
            ApiRequest.change("DELETE", "/x", null),
            ApiRequest.createOnce("/x", BODY))) {
      script.clear();
      script.addAll(List.of(HttpApiTest::losesReply, OK));
      assertThatThrownBy(() -> api.send(request))
          .hasMessageContaining("it is not known whether the request was carried out")
          .satisfies(failure ->
              assertThat(ExitCode.of((Exception) failure)).isEqualTo(ExitCode.UNAVAILABLE));
      assertThat(script).as("the request was repeated").hasSize(1);
    }
  }

  @Test
  void aRequestThatWasNotAdmittedIsRepeated() {
    script.addAll(List.of(problem(429, "RATE_LIMITED"), OK));

    assertThat(api.send(ApiRequest.change("POST", "/x", null)).get("ok").booleanValue()).isTrue();
  }

  @Test
  void statusesBecomeExitCodes() {
    record Case(int status, ExitCode code) {}
    for (Case each :
        List.of(
            new Case(400, ExitCode.USAGE),
            new Case(422, ExitCode.USAGE),
            new Case(401, ExitCode.REFUSED),
            new Case(403, ExitCode.REFUSED),
            new Case(404, ExitCode.NOT_FOUND),
            new Case(409, ExitCode.CONFLICT),
            new Case(500, ExitCode.FAILED),
            new Case(502, ExitCode.UNAVAILABLE),
            new Case(504, ExitCode.UNAVAILABLE))) {
      script.clear();
      script.add(problem(each.status(), "A_CODE"));
      assertThatThrownBy(() -> api.send(ApiRequest.get("/x")))
          .hasMessage("A title: A detail. [A_CODE]")
          .satisfies(failure ->
              assertThat(ExitCode.of((Exception) failure))
                  .as("status %d", each.status())
                  .isEqualTo(each.code()));
    }
  }

  @Test
  void aServerThatStaysUnavailableIsReported() {
    for (int i = 0; i < 4; i++) {
      script.add(problem(503, "DATABASE_UNAVAILABLE"));
    }
    assertThatThrownBy(() -> api.send(ApiRequest.get("/x")))
        .hasMessageContaining("[DATABASE_UNAVAILABLE]")
        .satisfies(failure ->
            assertThat(ExitCode.of((Exception) failure)).isEqualTo(ExitCode.UNAVAILABLE));
  }

  @Test
  void whatIsNotAServerOfHoldfastIsReported() {
    script.add(responds(200, "text/html", "<html>"));
    assertThatThrownBy(() -> api.send(ApiRequest.get("/x")))
        .hasMessageContaining("check that the URL is that of a Holdfast server");
    script.add(exchange -> {
      exchange.getResponseHeaders().set("Location", "https://elsewhere.example");
      exchange.sendResponseHeaders(301, -1);
      exchange.close();
    });
    assertThatThrownBy(() -> api.send(ApiRequest.get("/x")))
        .hasMessageContaining("redirects to https://elsewhere.example: use that URL");
  }

  @Test
  void aServerThatDoesNotRespondIsGivenUpAfterTheTimeout() {
    script.add(exchange -> {
      try {
        end.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    });
    try (HttpApi hasty = api(Duration.ofMillis(300))) {
      assertThatThrownBy(() -> hasty.send(ApiRequest.change("POST", "/x", null)))
          .hasMessageContaining("did not respond within 0.3 s")
          .satisfies(failure ->
              assertThat(ExitCode.of((Exception) failure)).isEqualTo(ExitCode.UNAVAILABLE));
      end.countDown();
    }
  }

  @Test
  void aServerThatIsNotThereIsReportedWithTheRemedy() {
    server.stop(0);
    assertThatThrownBy(() -> api.send(ApiRequest.change("POST", "/x", null)))
        .hasMessageContaining("start it with 'holdfast serve'")
        .satisfies(failure ->
            assertThat(ExitCode.of((Exception) failure)).isEqualTo(ExitCode.UNAVAILABLE));
  }

  @Test
  void aStreamSignalsWhenToReadAgain() throws Exception {
    Semaphore events = new Semaphore(0);
    script.add(exchange -> {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        for (int i = 0; i < 2; i++) {
          events.acquireUninterruptibly();
          out.write("event: run\ndata: {}\n\n".getBytes(StandardCharsets.UTF_8));
          out.flush();
        }
        end.await(); // The stream stays open, or its end would be a reason to look too.
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    });
    try (Changes changes = api.changes("/stream", Duration.ofMinutes(5))) {
      events.release();
      awaitConnected(changes);
      Thread looking = Thread.ofVirtual().start(() -> look(changes));
      assertThat(looking.join(Duration.ofSeconds(1))).as("looked without an event").isFalse();
      events.release();
      assertThat(looking.join(Duration.ofSeconds(20))).as("looked at the event").isTrue();
    }
  }

  /** Waits for the event that shows that the stream is open; before, a look is due at any time. */
  private static void awaitConnected(Changes changes) {
    await()
        .until(() -> {
          look(changes);
          return ((StreamedChanges) changes).isConnected();
        });
  }

  private static void look(Changes changes) {
    try {
      changes.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void withoutAStreamTheCommandPolls() throws Exception {
    script.add(problem(404, "RUN_NOT_FOUND"));
    try (Changes changes = api.changes("/stream", Duration.ofMinutes(5))) {
      for (int i = 0; i < 3; i++) {
        changes.await();
      }
    }
  }
}
