package dev.holdfast.server.javalin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.RawHttp;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What clients do to connections: they are slow, send too much, and claim to be a proxy. */
class ConnectionTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static URI url;

  @BeforeAll
  static void start() {
    server =
        new TestServer(
            Map.of(
                "mode", "api",
                "basePath", "/flow",
                "bodyLimit", "4096",
                "requestTimeout", "PT1S",
                "idleTimeout", "PT3S",
                "trustedProxies", "10.1.0.0/16,127.0.0.1"));
    url = server.server().url();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String request(String line, String... headers) {
    return line
        + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
        + server.tenantKey()
        + "\r\n"
        + String.join("", headers);
  }

  /** Sends a start, then a byte from time to time; returns what the server answered. */
  private static String drip(String start) throws Exception {
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      out.write(bytes(start));
      CountDownLatch ended = new CountDownLatch(1);
      Thread dripping =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (!ended.await(200, TimeUnit.MILLISECONDS)) {
                    out.write('x');
                    out.flush();
                  }
                } catch (IOException | InterruptedException closed) {
                  // The server has had enough.
                }
              });
      try {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      } catch (SocketException reset) {
        return "";
      } finally {
        ended.countDown();
        dripping.join();
      }
    }
  }

  @Test
  void aBodyThatDripsIsRefused() throws Exception {
    String answer =
        drip(
            request("POST /flow" + T + "/jobs", "Content-Length: 4000\r\n", "\r\n")
                + "{\"task\":\"a");
    assertThat(answer).startsWith("HTTP/1.1 408").contains("REQUEST_TIMEOUT");
  }

  /** Sends two requests at once, and returns all responses until the server closes. */
  private static String both(String first) throws Exception {
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              bytes(first + "GET /flow/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aConnectionIsUsedAgainUnlessTheServerSaysThatItCloses() throws Exception {
    String body = "{\"task\":\"a\"}";
    String length = "Content-Length: %d\r\n\r\n".formatted(body.length());
    assertThat(both(request("POST /flow" + T + "/jobs", length) + body))
        .startsWith("HTTP/1.1 201")
        .contains("HTTP/1.1 200");
    // Refused before its body has arrived.
    assertThat(drip("POST /flow%s/jobs HTTP/1.1\r\nHost: a\r\n%s".formatted(T, length)))
        .startsWith("HTTP/1.1 401")
        .contains("Connection: close");
  }

  @Test
  void headersThatDripAreCutOff() throws Exception {
    assertThat(drip("GET /flow/health HTTP/1.1\r\nHost: a\r\nX-Slow: ")).doesNotContain("200");
  }

  @Test
  void theSecondRequestOfAConnectionMustNotDripEither() throws Exception {
    String answer =
        drip("GET /flow/health HTTP/1.1\r\nHost: a\r\n\r\nGET /flow/health HTTP/1.1\r\nX-Slow: ");
    assertThat(answer).containsOnlyOnce("HTTP/1.1 200");
  }

  /** The response is larger than what the network buffers, and the client does not read it. */
  @Test
  void aClientThatDoesNotReadIsCutOff() throws Exception {
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4_096);
      socket.connect(new java.net.InetSocketAddress(url.getHost(), url.getPort()));
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      boolean cut = false;
      byte[] asked = bytes("GET /flow/openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n");
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!cut && System.nanoTime() < deadline) {
        try {
          out.write(asked);
          out.flush();
        } catch (SocketException closed) {
          cut = true;
        }
      }
      assertThat(cut).isTrue();
    }
  }

  @Test
  void largeRequestsAreRefused() throws Exception {
    String large = "\"" + "a".repeat(5_000) + "\"";
    assertThat(
            RawHttp.send(
                    url,
                    bytes(
                        request(
                                "POST /flow" + T + "/jobs",
                                "Content-Length: 5002\r\n",
                                "Connection: close\r\n\r\n")
                            + large))
                .status())
        .isEqualTo(413);
    // Without a declared length.
    String chunked =
        request(
                "POST /flow" + T + "/jobs",
                "Transfer-Encoding: chunked\r\n",
                "Connection: close\r\n\r\n")
            + "138a\r\n"
            + large
            + "\r\n0\r\n\r\n";
    assertThat(RawHttp.send(url, bytes(chunked)).status()).isEqualTo(413);
    // Declared and never sent: the server does not wait for it.
    assertThat(
            RawHttp.send(
                    url,
                    bytes(request("POST /flow" + T + "/jobs", "Content-Length: 99999999\r\n\r\n")))
                .status())
        .isEqualTo(413);
    String headers = "GET /flow/health HTTP/1.1\r\nHost: a\r\nX-Big: " + "a".repeat(20_000);
    assertThat(RawHttp.send(url, bytes(headers + "\r\n\r\n")).status()).isEqualTo(431);
  }

  @Test
  void allPathsStartWithTheBasePath() {
    ApiClient plain = new ApiClient(URI.create("http://127.0.0.1:" + url.getPort()), "");
    assertThat(plain.raw("GET", "/flow/health", null).status()).isEqualTo(200);
    assertThat(plain.raw("GET", "/health", null).status()).isEqualTo(404);
    assertThat(plain.raw("GET", "/flowers/health", null).status()).isEqualTo(404);
  }

  private static String address(TestServer where, Map<String, String> headers) {
    ApiClient client = new ApiClient(where.server().url(), where.tenantKey(), headers);
    client.post(T + "/queues/mail/pause").expect(200);
    JsonNode entries = where.tenant().get(T + "/audit?action=queue.pause").json();
    return entries.at("/entries/0/address").asString();
  }

  @Test
  void onlyTrustedProxiesSayWhereARequestCameFrom() {
    assertThat(address(server, Map.of())).isEqualTo("127.0.0.1");
    assertThat(address(server, Map.of("X-Forwarded-For", "203.0.113.7"))).isEqualTo("203.0.113.7");
    // What the client itself sent is to the left of what the first trusted proxy has seen.
    assertThat(address(server, Map.of("X-Forwarded-For", "1.2.3.4, 203.0.113.7, 10.1.2.3")))
        .isEqualTo("203.0.113.7");
    assertThat(address(server, Map.of("X-Forwarded-For", "evil.example, 10.1.2.3")))
        .isEqualTo("10.1.2.3");
    ApiClient proxied = server.tenant().header("X-Forwarded-Proto", "https");
    assertThat(proxied.get("/health").header("Strict-Transport-Security")).isNotEmpty();
    try (TestServer alone = new TestServer(Map.of("mode", "api"))) {
      assertThat(address(alone, Map.of("X-Forwarded-For", "203.0.113.7"))).isEqualTo("127.0.0.1");
      ApiClient lying = alone.tenant().header("X-Forwarded-Proto", "https");
      assertThat(lying.get("/health").header("Strict-Transport-Security")).isEmpty();
    }
  }
}
