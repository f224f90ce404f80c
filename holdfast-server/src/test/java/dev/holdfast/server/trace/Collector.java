package dev.holdfast.server.trace;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.server.testing.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/** An HTTP server that receives traces as a collector does. */
final class Collector implements AutoCloseable {
  private final HttpServer server;
  private final List<JsonNode> requests = new CopyOnWriteArrayList<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  Collector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Token")));
          requests.add(Json.parse(body));
          exchange.sendResponseHeaders(status, 2);
          exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void refuse() {
    status = 503;
  }

  List<JsonNode> requests() {
    return requests;
  }

  List<String> tokens() {
    return tokens;
  }

  /** A span that was received. */
  record Seen(JsonNode json) {
    String name() {
      return json.path("name").asString("");
    }

    String trace() {
      return json.path("traceId").asString("");
    }

    String id() {
      return json.path("spanId").asString("");
    }

    String parent() {
      return json.path("parentSpanId").asString("");
    }

    int kind() {
      return json.path("kind").asInt();
    }

    /** The value of an attribute as text; empty if it is missing. */
    String attribute(String key) {
      for (JsonNode one : json.path("attributes")) {
        if (one.path("key").asString("").equals(key)) {
          JsonNode value = one.path("value");
          return value.path("stringValue").asString(value.path("intValue").asString(""));
        }
      }
      return "";
    }
  }

  List<Seen> spans() {
    return requests.stream()
        .flatMap(request -> request.path("resourceSpans").valueStream())
        .flatMap(resource -> resource.path("scopeSpans").valueStream())
        .flatMap(scope -> scope.path("spans").valueStream())
        .map(Seen::new)
        .toList();
  }

  List<Seen> spans(String trace) {
    return spans().stream().filter(span -> span.trace().equals(trace)).toList();
  }

  static Optional<Seen> named(List<Seen> spans, String name) {
    return spans.stream().filter(span -> span.name().equals(name)).findFirst();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
