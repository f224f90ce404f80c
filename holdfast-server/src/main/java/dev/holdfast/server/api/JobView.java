package dev.holdfast.server.api;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.server.http.JsonText;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs as JSON. */
final class JobView {
  private JobView() {}

  /**
   * Returns a job.
   *
   * @param visible what the caller may see of it
   */
  static ObjectNode job(Job job, Visible visible) {
    boolean payloads = visible.payloads();
    JsonText.Obj view =
        JsonText.object()
            .putText("id", job.id())
            .put("task", job.task())
            .put("queue", job.queue())
            .putText("state", job.state())
            .put("priority", job.priority())
            .set("tags", JsonText.texts(new TreeSet<>(job.tags())))
            .put("uniqueKey", job.uniqueKey())
            .put("attempt", job.attempt())
            .put("fencingToken", job.fencingToken())
            .put("node", visible.nodes() ? job.node() : null)
            .put("stack", job.stack())
            .put("source", job.source())
            .putText("parent", job.parent())
            .putText("run", job.run())
            .put("cancelRequested", job.cancelRequested())
            .put("createdAt", job.createdAt())
            .put("runAt", job.runAt())
            .put("startBy", job.startBy())
            .put("startedAt", job.startedAt())
            .put("endedAt", job.endedAt())
            .set("progress", progress(job, payloads))
            .set("failures", failures(job.failures(), visible));
    if (payloads) {
      view.set("payload", json(job.payload()))
          .set("result", json(job.result()))
          .set("log", log(job));
    }
    return view.done();
  }

  /** Returns how many characters of data a job has. */
  static long characters(Job job) {
    return length(job.payload())
        + length(job.result())
        + job.log().stream().mapToLong(line -> line.text().length()).sum()
        + characters(job.failures());
  }

  static long characters(List<FailedAttempt> failures) {
    return failures.stream()
        .mapToLong(failure -> length(failure.message()) + length(failure.stackTrace()))
        .sum();
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static @Nullable JsonNode json(@Nullable String text) {
    return text == null ? null : JsonText.orString(text);
  }

  private static @Nullable ObjectNode progress(Job job, boolean payloads) {
    var progress = job.progress();
    return progress == null
        ? null
        : JsonText.object()
            .put("done", progress.done())
            .put("total", progress.total())
            .put("message", payloads ? progress.message() : null)
            .put("reportedAt", progress.reportedAt())
            .done();
  }

  private static ArrayNode log(Job job) {
    ArrayNode lines = JsonText.array();
    job.log()
        .forEach(line ->
            lines.add(
                JsonText.object()
                    .put("at", line.at())
                    .put("attempt", line.attempt())
                    .put("text", line.text())
                    .done()));
    return lines;
  }

  static ArrayNode failures(List<FailedAttempt> failures, Visible visible) {
    ArrayNode array = JsonText.array();
    for (FailedAttempt failure : failures) {
      array.add(
          JsonText.object()
              .put("attempt", failure.attempt())
              .put("code", failure.code())
              .put("type", failure.type())
              .put("message", failure.message())
              .put("stackTrace", visible.payloads() ? failure.stackTrace() : null)
              .put("node", visible.nodes() ? failure.node() : null)
              .put("startedAt", failure.startedAt())
              .put("failedAt", failure.failedAt())
              .done());
    }
    return array;
  }
}
