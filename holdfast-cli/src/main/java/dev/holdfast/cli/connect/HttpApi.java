package dev.holdfast.cli.connect;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Printable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The API of a server.
 *
 * <p>A request that got no response, or 503, is sent again if that is safe: if it only reads, if it
 * has an Idempotency-Key, or if it cannot have reached the server.
 */
final class HttpApi implements Api {
  private static final int ATTEMPTS = 4;
  private static final Duration FIRST_DELAY = Duration.ofMillis(250);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int SLOWEST_BYTES_PER_SECOND = 50_000;

  private final URI server;
  private final String key;
  private final Duration timeout;
  private final HttpClient client;

  /**
   * @param timeout how long a request may take, with its repeats
   */
  HttpApi(URI server, String key, Duration timeout) {
    this.server = server;
    this.key = key;
    this.timeout = timeout;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout.compareTo(CONNECT) < 0 ? timeout : CONNECT)
            .build();
  }

  @Override
  public JsonNode send(ApiRequest request) {
    String idempotencyKey = request.creates() ? UUID.randomUUID().toString() : null;
    return send(request, timeout, left -> http(request, idempotencyKey, left));
  }

  /** A slow connection has more time for a large file. */
  @Override
  public JsonNode upload(Upload upload) {
    HttpRequest.BodyPublisher body;
    try {
      body = new CountedFile(HttpRequest.BodyPublishers.ofFile(upload.file()), upload.sent());
    } catch (FileNotFoundException missing) {
      throw new HoldfastException("'%s' does not exist.".formatted(upload.file()), missing);
    }
    HttpRequest.Builder builder = builder(upload.path());
    upload.headers().forEach(builder::header);
    return send(
        new ApiRequest("POST", upload.path(), null, false, true),
        timeout.plusSeconds(body.contentLength() / SLOWEST_BYTES_PER_SECOND),
        left -> builder.copy().timeout(left).POST(body).build());
  }

  private HttpRequest.Builder builder(String path) {
    return HttpRequest.newBuilder(URI.create(server + path))
        .header("Authorization", "Bearer " + key)
        .header("Accept", "application/json, application/problem+json");
  }

  private JsonNode send(ApiRequest request, Duration atMost, Function<Duration, HttpRequest> http) {
    long end = System.nanoTime() + atMost.toNanos();
    Duration delay = FIRST_DELAY;
    for (int attempt = 1; ; attempt++) {
      Duration wait = delay;
      Duration left = Duration.ofNanos(end - System.nanoTime());
      try {
        HttpResponse<byte[]> response =
            client.send(http.apply(positive(left)), HttpResponse.BodyHandlers.ofByteArray());
        boolean again =
            response.statusCode() == 429 || (response.statusCode() == 503 && request.repeatable());
        if (!again || attempt == ATTEMPTS) {
          return read(response);
        }
        wait = retryAfter(response, delay);
        if (System.nanoTime() + wait.toNanos() > end) {
          return read(response);
        }
      } catch (IOException failure) {
        boolean mayRepeat = request.repeatable() || neverSent(failure);
        if (!mayRepeat || attempt == ATTEMPTS || System.nanoTime() + wait.toNanos() > end) {
          throw unavailable(request, failure);
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new HoldfastException("The request was interrupted.", stopped);
      }
      pause(wait);
      delay = delay.multipliedBy(2);
    }
  }

  private static Duration positive(Duration left) {
    return left.isPositive() ? left : Duration.ofMillis(1);
  }

  private static boolean neverSent(IOException failure) {
    return failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
  }

  private HttpRequest http(ApiRequest request, @Nullable String idempotencyKey, Duration atMost) {
    HttpRequest.Builder builder = builder(request.path()).timeout(atMost);
    if (idempotencyKey != null) {
      builder.header("Idempotency-Key", idempotencyKey);
    }
    JsonNode body = request.body();
    if (body == null) {
      return builder.method(request.method(), HttpRequest.BodyPublishers.noBody()).build();
    }
    return builder
        .header("Content-Type", "application/json")
        .method(request.method(), HttpRequest.BodyPublishers.ofString(body.toString()))
        .build();
  }

  private static Duration retryAfter(HttpResponse<byte[]> response, Duration otherwise) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(text -> text.matches("[0-9]{1,4}"))
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .map(asked -> asked.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : asked)
        .orElse(otherwise);
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new HoldfastException("The request was interrupted.", stopped);
    }
  }

  private ApiException unavailable(ApiRequest request, IOException failure) {
    if (neverSent(failure)) {
      return ApiException.unavailable(
          "No server responds at %s: start it with 'holdfast serve', or check the URL."
              .formatted(server),
          failure);
    }
    String what =
        failure instanceof HttpTimeoutException
            ? "The server at %s did not respond within %s s"
                .formatted(server, timeout.toMillis() / 1000.0)
            : "The connection to %s broke".formatted(server);
    return ApiException.unavailable(
        request.method().equals("GET")
            ? what + "."
            : what + ", so it is not known whether the request was carried out.",
        failure);
  }

  private JsonNode read(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    String type = response.headers().firstValue("Content-Type").orElse("");
    if (status == 204) {
      return Json.object();
    }
    if (type.startsWith("application/json") || type.startsWith("application/problem+json")) {
      JsonNode body = parsed(response);
      if (body != null && status < 300) {
        return body;
      }
      if (body != null && status >= 400) {
        throw ApiException.of(status, body);
      }
    }
    throw ApiException.status(
        status,
        status >= 300 && status < 400
            ? "%s redirects to %s: use that URL."
                .formatted(
                    server, Printable.line(response.headers().firstValue("Location").orElse("?")))
            : "%s returned status %d without JSON: check that the URL is that of a Holdfast server."
                .formatted(server, status));
  }

  private static @Nullable JsonNode parsed(HttpResponse<byte[]> response) {
    try {
      return Json.read(new String(response.body(), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException notJson) {
      return null;
    }
  }

  @Override
  public Changes changes(String path, Duration longest) {
    HttpRequest stream =
        HttpRequest.newBuilder(URI.create(server + path))
            .header("Authorization", "Bearer " + key)
            .header("Accept", "text/event-stream")
            .build();
    return new StreamedChanges(client, stream, longest);
  }

  /** Does not wait for a stream that is still open. */
  @Override
  public void close() {
    client.shutdownNow();
  }
}
