package dev.holdfast.bench.packages;

import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.http.HttpConnection;
import java.io.IOException;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The API of a server, as far as a client of one tenant needs it. */
record TenantApi(URI server, String tenant, String key) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long LOOK_EVERY_MILLIS = 5;

  static TenantApi create(URI server, String admin, String name) throws IOException {
    try (HttpConnection connection = new HttpConnection(server)) {
      String body = "{\"name\":\"%s\"}".formatted(name);
      JsonNode reply =
          JSON.readTree(
              connection.send(HttpConnection.request("POST", "/v1/tenants", admin, body)));
      return new TenantApi(server, name, reply.path("key").asString());
    }
  }

  /** Returns the same tenant on another server. */
  TenantApi at(URI other) {
    return new TenantApi(other, tenant, key);
  }

  /** Pushes a package. */
  void push(byte[] jar) throws IOException {
    String headers =
        "Content-Type: application/java-archive\nContent-Digest: sha-256=:%s:".formatted(sha(jar));
    var unused = send(HttpConnection.request("POST " + path("/packages"), key, headers, jar));
  }

  private static String sha(byte[] content) {
    try {
      return Base64.getEncoder()
          .encodeToString(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Deletes a version of the package {@code sample}. */
  void delete(String version) throws IOException {
    var unused = call("DELETE", "/packages/sample/versions/" + version, "");
  }

  /** Enqueues a job and returns its path. */
  String enqueue(String task, String queue) throws IOException {
    JsonNode job =
        call(
            "POST",
            "/jobs",
            "{\"task\":\"%s\",\"queue\":\"%s\",\"payload\":\"x\",\"retry\":{\"maxAttempts\":1}}"
                .formatted(task, queue));
    return "/jobs/" + job.path("id").asString();
  }

  /** Starts a run and returns its path. */
  String startRun(String workflow) throws IOException {
    JsonNode run =
        call("POST", "/runs", "{\"workflow\":\"%s\",\"input\":\"x\"}".formatted(workflow));
    return "/runs/" + run.path("id").asString();
  }

  /** Waits for the end of a job or run, and returns its result. */
  String result(String path) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      JsonNode reply = call("GET", path, "");
      String state = reply.path("state").asString("");
      if (state.equals("SUCCEEDED")) {
        return reply.path("result").asString();
      }
      if (state.equals("FAILED") || System.nanoTime() - end > 0) {
        throw new BenchException(
            "%s has not succeeded within %d s: %s".formatted(path, LIMIT.toSeconds(), reply));
      }
      Thread.sleep(LOOK_EVERY_MILLIS);
    }
  }

  private JsonNode call(String method, String path, String body) throws IOException {
    String reply = send(HttpConnection.request(method, path(path), key, body));
    return reply.isEmpty() ? JSON.createObjectNode() : JSON.readTree(reply);
  }

  private String path(String path) {
    return "/v1/tenants/" + tenant + path;
  }

  /** On a connection of its own: a server closes those that are idle for long. */
  private String send(byte[] request) throws IOException {
    try (HttpConnection connection = new HttpConnection(server)) {
      return connection.send(request);
    }
  }
}
