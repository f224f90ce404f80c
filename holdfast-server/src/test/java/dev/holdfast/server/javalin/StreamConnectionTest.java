package dev.holdfast.server.javalin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.RawHttp;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The connections of clients that watch: none outlives its client. */
class StreamConnectionTest {
  private static final String STREAM = "/v1/tenants/default/stream?topic=jobs";
  private static final Duration WAIT = Duration.ofSeconds(60);

  private static byte[] request(String method, String path, String key, String more) {
    return "%s %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n%s\r\n"
        .formatted(method, path, key, more)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Opens a stream and reads until a text has arrived. */
  private static Socket watch(URI server, String path, String key, String until)
      throws IOException {
    return open(server, path, key, 200, until);
  }

  private static Socket open(URI server, String path, String key, int status, String until)
      throws IOException {
    Socket socket = new Socket(server.getHost(), server.getPort());
    socket.setSoTimeout((int) WAIT.toMillis());
    socket.getOutputStream().write(request("GET", path, key, ""));
    StringBuilder seen = new StringBuilder();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4_096];
    while (seen.indexOf(until) < 0) {
      int length = in.read(buffer);
      assertThat(length).as("%s instead of %s", seen, until).isPositive();
      seen.append(new String(buffer, 0, length, StandardCharsets.UTF_8));
      assertThat(seen.toString()).startsWith("HTTP/1.1 " + status);
    }
    return socket;
  }

  @Test
  void clientsThatLeaveAreForgotten() throws Exception {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      URI url = server.server().url();
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        sockets.add(watch(url, STREAM, server.tenantKey(), "event: jobs"));
      }
      assertThat(server.server().watching()).isEqualTo(50);
      assertThat(server.server().connections()).isEqualTo(50);
      for (Socket socket : sockets) {
        socket.close();
      }
      await()
          .atMost(WAIT)
          .untilAsserted(() -> {
            assertThat(server.server().watching()).isZero();
            assertThat(server.server().connections()).isZero();
          });
    }
  }

  /** What is written in response to HEAD is discarded, so it would never fail. */
  @Test
  void headOfAStreamReturnsAtOnce() throws Exception {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      RawHttp.Answer answer =
          RawHttp.send(
              server.server().url(),
              request("HEAD", STREAM, server.tenantKey(), "Connection: close\r\n"));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).contains("text/event-stream").endsWith("\r\n\r\n");
      assertThat(server.server().watching()).isZero();
    }
  }

  @Test
  void aTenantWithManyClientsLeavesRoomForOthers() throws Exception {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      URI url = server.server().url();
      String other = server.newTenant("other").key();
      List<Socket> sockets = new ArrayList<>();
      try {
        for (int i = 0; i < 500; i++) {
          sockets.add(watch(url, STREAM, server.tenantKey(), "text/event-stream"));
        }
        for (String told : List.of("Retry-After: 5", "TOO_MANY_STREAMS")) {
          open(url, STREAM, server.tenantKey(), 503, told).close();
        }
        sockets.add(watch(url, STREAM.replace("default", "other"), other, "event: jobs"));
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
      await().atMost(WAIT).until(() -> server.server().watching() == 0);
      watch(url, STREAM, server.tenantKey(), "event: jobs").close();
    }
  }
}
