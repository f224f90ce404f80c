package dev.holdfast.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Calls a server with a key, and checks every response against the description of the API. */
public record ApiClient(URI server, String key, Map<String, String> headers) {
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(20))
          .build();

  public ApiClient(URI server, String key) {
    this(server, key, Map.of());
  }

  public ApiClient with(String otherKey) {
    return new ApiClient(server, otherKey, headers);
  }

  public ApiClient header(String name, String value) {
    Map<String, String> all = new HashMap<>(headers);
    all.put(name, value);
    return new ApiClient(server, key, all);
  }

  public Reply get(String path) {
    return send("GET", path, null);
  }

  public Reply post(String path) {
    return send("POST", path, null);
  }

  public Reply post(String path, String body) {
    return send("POST", path, body);
  }

  public Reply put(String path, String body) {
    return send("PUT", path, body);
  }

  public Reply delete(String path) {
    return send("DELETE", path, null);
  }

  public Reply send(String method, String path, String body) {
    return checked(method, path, raw(method, path, body));
  }

  /** Sends a file. */
  public Reply sendFile(String method, String path, Path file) {
    try {
      return checked(method, path, sent(method, path, HttpRequest.BodyPublishers.ofFile(file)));
    } catch (FileNotFoundException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  private Reply checked(String method, String path, Reply reply) {
    String route = path.split("\\?", 2)[0];
    if (reply.status() != 304) {
      assertThat(
              OpenApi.instance()
                  .check(
                      method,
                      route,
                      reply.status(),
                      reply.header("Content-Type"),
                      reply.response().body()))
          .as("%s %s: %s", method, path, reply.response().body())
          .isEmpty();
      OpenApi.instance().answered(method, route, reply.status(), reply.header("X-Request-Id"));
    }
    return reply;
  }

  public Reply raw(String method, String path, String body) {
    return sent(
        method,
        path,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body));
  }

  private Reply sent(String method, String path, HttpRequest.BodyPublisher body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server + path))
            .timeout(Duration.ofSeconds(60))
            .method(method, body);
    if (!key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    headers.forEach(request::header);
    try {
      return new Reply(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException failure) {
      throw new UncheckedIOException(method + " " + path, failure);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }
}
