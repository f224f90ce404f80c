package dev.holdfast.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.Json;
import dev.holdfast.server.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Log lines name the node and the job, and levels change while a server runs. */
class ServerLogTest {
  private static final String T = "/v1/tenants/default";

  @Test
  void everyJsonLineNamesTheNodeAndTheLinesOfAJobNameTheJob() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TestServer server = new TestServer();
        AutoCloseable copy = ServerLog.copyTo(out, ServerLog.Format.JSON)) {
      String job =
          server.tenant().post(T + "/jobs", "{\"task\":\"test::log\"}").expect(201).text("id");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThat(out.toString(StandardCharsets.UTF_8)).contains("a line of a job"));
      LoggerFactory.getLogger("other").warn("of no job:\n{}", "two lines", new Exception("why"));
      String node = server.admin().get("/v1/nodes").json().at("/nodes/0/id").asString();
      List<JsonNode> lines = out.toString(StandardCharsets.UTF_8).lines().map(Json::parse).toList();
      JsonNode ofJob = find(lines, "a line of a job");
      assertThat(ofJob.path("job").asString()).isEqualTo(job);
      assertThat(ofJob.path("task").asString()).isEqualTo("test::log");
      assertThat(ofJob.path("node").asString()).isEqualTo(node);
      JsonNode other = find(lines, "of no job:\ntwo lines");
      assertThat(other.path("job").isNull()).isTrue();
      assertThat(other.path("error").asString()).contains("java.lang.Exception: why");
      assertThat(lines).allSatisfy(line -> assertThat(line.path("node").asString()).isNotEmpty());
    }
  }

  private static JsonNode find(List<JsonNode> lines, String message) {
    return lines.stream()
        .filter(line -> line.path("message").asString().equals(message))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void secretsAreHiddenInMessagesAndStackTraces() throws Exception {
    String value = "hidden \"in\" the log";
    for (ServerLog.Format format : ServerLog.Format.values()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (AutoCloseable copy = ServerLog.copyTo(out, format)) {
        ServerLog.hide(value);
        LoggerFactory.getLogger("other").warn("It is {}!", value, new Exception("not " + value));
      }
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains("It is ***!", "java.lang.Exception: not ***")
          .doesNotContain("in the log", "hidden");
    }
  }

  @Test
  void plainTextLinesNameNodeAndJobToo() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TestServer server = new TestServer();
        AutoCloseable copy = ServerLog.copyTo(out, ServerLog.Format.TEXT)) {
      String job =
          server.tenant().post(T + "/jobs", "{\"task\":\"test::log\"}").expect(201).text("id");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(out.toString(StandardCharsets.UTF_8).lines())
                  .anyMatch(line -> line.contains(job) && line.contains("a line of a job")));
    }
  }

  @Test
  void levelsChangeWhileTheServerRuns() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TestServer server = new TestServer(java.util.Map.of("mode", "api"));
        AutoCloseable copy = ServerLog.copyTo(out, ServerLog.Format.TEXT)) {
      String path = "/v1/log-levels/log.test.live";
      LoggerFactory.getLogger("log.test.live").debug("before");
      server.admin().put(path, "{\"level\":\"debug\"}").expect(200);
      LoggerFactory.getLogger("log.test.live").debug("during");
      assertThat(server.admin().get("/v1/log-levels").json().path("levels").path("log.test.live"))
          .hasToString("\"DEBUG\"");
      server.admin().put(path, "{\"level\":null}").expect(200);
      LoggerFactory.getLogger("log.test.live").debug("after");
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains("during")
          .doesNotContain("before", "after");
      server.admin().put(path, "{\"level\":\"loud\"}").expect(400, "INVALID_REQUEST");
      server.admin().put("/v1/log-levels/ROOT", "{\"level\":null}").expect(400, "INVALID_REQUEST");
      server.tenant().put(path, "{\"level\":\"debug\"}").expect(403);
      JsonNode entry = server.admin().get("/v1/audit?action=log.level").json().at("/entries/3");
      assertThat(entry.at("/after/level").asString("")).isEqualTo("debug");
    }
  }
}
