package dev.holdfast.worker;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Calls a server as a worker. */
final class WorkerApi implements AutoCloseable {
  static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Set<String> GONE = Set.of("WORKER_DEAD", "WORKER_NOT_FOUND");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();
  private final String base;
  private final String key;

  WorkerApi(URI server, String key, String tenant) {
    String root = server.toString();
    this.base =
        (root.endsWith("/") ? root.substring(0, root.length() - 1) : root)
            + "/v1/tenants/"
            + tenant
            + "/workers";
    this.key = key;
  }

  /** Registers a worker; empty if it was declared dead. */
  Optional<JsonNode> register(ObjectNode body, Duration patience) {
    return send("POST", "", body, patience);
  }

  /** Makes a call of a worker; empty if it was declared dead or does not exist. */
  Optional<JsonNode> call(UUID worker, String what, ObjectNode body, Duration patience) {
    return send("POST", "/" + worker + "/" + what, body, patience);
  }

  /** Reads a secret of the tenant; empty if there is none of this name. */
  Optional<String> secret(UUID worker, String name) {
    ObjectNode body = JSON.createObjectNode().put("name", name);
    return call(worker, "secret", body, CONNECT)
        .map(reply -> reply.path("value"))
        .filter(JsonNode::isString)
        .map(JsonNode::asString);
  }

  void deregister(UUID worker, Duration patience) {
    Optional<JsonNode> unused = send("DELETE", "/" + worker, null, patience);
  }

  private Optional<JsonNode> send(
      String method, String path, @Nullable ObjectNode body, Duration patience) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(patience)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
            .build();
    HttpResponse<byte[]> response;
    try {
      response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (ConnectException away) {
      throw failed(Outcome.RETRYABLE, method, path, "the server cannot be reached", away);
    } catch (IOException broken) {
      throw failed(Outcome.UNKNOWN, method, path, String.valueOf(broken), broken);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw failed(Outcome.UNKNOWN, method, path, "it was interrupted", stopping);
    }
    return result(method, path, response);
  }

  private static Optional<JsonNode> result(
      String method, String path, HttpResponse<byte[]> response) {
    JsonNode json;
    try {
      json = response.body().length == 0 ? JSON.createObjectNode() : JSON.readTree(response.body());
    } catch (JacksonException broken) {
      throw failed(Outcome.UNKNOWN, method, path, "the reply is not JSON", broken);
    }
    int status = response.statusCode();
    if (status < 300) {
      return Optional.of(json);
    }
    String code = json.path("code").asString("");
    if (GONE.contains(code)) {
      return Optional.empty();
    }
    boolean again = status == 429 || status == 503;
    throw failed(
        again ? Outcome.RETRYABLE : status >= 500 ? Outcome.UNKNOWN : Outcome.REFUSED,
        method,
        path,
        "%d %s: %s".formatted(status, code, json.path("detail").asString("")),
        null);
  }

  private static StoreException failed(
      Outcome outcome, String method, String path, String why, @Nullable Throwable cause) {
    return new StoreException(
        outcome, "%s .../workers%s failed: %s".formatted(method, path, why), cause);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
