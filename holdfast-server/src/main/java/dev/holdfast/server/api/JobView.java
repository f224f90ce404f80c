package dev.holdfast.server.api;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.WaitReason;
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
   * @param payloads whether the caller may see what the job works on
   */
  static ObjectNode job(Job job, boolean payloads) {
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
            .put("node", job.node())
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
            .set("failures", failures(job.failures(), payloads));
    if (payloads) {
      view.set("payload", json(job.payload()))
          .set("result", json(job.result()))
          .set("log", log(job));
    }
    return view.done();
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

  static ArrayNode failures(List<FailedAttempt> failures, boolean payloads) {
    ArrayNode array = JsonText.array();
    for (FailedAttempt failure : failures) {
      array.add(
          JsonText.object()
              .put("attempt", failure.attempt())
              .put("code", failure.code())
              .put("type", failure.type())
              .put("message", failure.message())
              .put("stackTrace", payloads ? failure.stackTrace() : null)
              .put("node", failure.node())
              .put("startedAt", failure.startedAt())
              .put("failedAt", failure.failedAt())
              .done());
    }
    return array;
  }

  /** Returns why a job waits: a list of codes, empty if it does not wait. */
  static ArrayNode why(Job job, @Nullable WaitReason reason) {
    ArrayNode array = JsonText.array();
    if (reason == null || reason instanceof WaitReason.NotWaiting) {
      return array;
    }
    return array.add(
        JsonText.object()
            .put("code", code(reason))
            .put("since", reason instanceof WaitReason.NotDue ? job.createdAt() : job.runAt())
            .put("message", reason.describe())
            .put("remedy", remedy(reason))
            .done());
  }

  private static String code(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> "NOT_DUE";
      case WaitReason.QueuePaused r -> "QUEUE_PAUSED";
      case WaitReason.QueueFull r -> "QUEUE_FULL";
      case WaitReason.TaskFull r -> "TASK_FULL";
      case WaitReason.BreakerOpen r -> "BREAKER_OPEN";
      case WaitReason.QueueNotServed r -> "QUEUE_NOT_SERVED";
      case WaitReason.TaskNotServed r -> "TASK_NOT_SERVED";
      case WaitReason.StackNotServed r -> "STACK_NOT_SERVED";
      case WaitReason.ModeForbids r -> "MODE_FORBIDS";
      case WaitReason.SlotsLost r -> "SLOTS_LOST";
      case WaitReason.CrashSuspect r -> "CRASH_SUSPECT";
      case WaitReason.Queued r -> "QUEUED";
      case WaitReason.Prefetched r -> "PREFETCHED";
      case WaitReason.RunPaused r -> "RUN_PAUSED";
      case WaitReason.Parked r -> "PARKED";
      case WaitReason.NotWaiting r -> "NOT_WAITING";
    };
  }

  private static String remedy(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> "Wait, or requeue the job to run it now.";
      case WaitReason.QueuePaused r -> "POST queues/%s/resume.".formatted(r.queue());
      case WaitReason.QueueFull r -> "Wait, or raise the limit of the queue.";
      case WaitReason.TaskFull r -> "Wait, or raise the limit of the task.";
      case WaitReason.BreakerOpen r -> "Wait for the trial job, or fix what makes the task fail.";
      case WaitReason.QueueNotServed r -> "Start a server or node that serves the queue.";
      case WaitReason.TaskNotServed r -> "Deploy a handler for the task.";
      case WaitReason.StackNotServed r -> "Start a node that serves the stack.";
      case WaitReason.ModeForbids r -> "Set the mode of a node to full.";
      case WaitReason.SlotsLost r -> "Restart these nodes, and fix the handlers.";
      case WaitReason.CrashSuspect r -> "Wait; nodes start crash suspects slowly.";
      case WaitReason.Queued r -> "Wait, or add servers.";
      case WaitReason.Prefetched r -> "Wait for a free slot of that node.";
      case WaitReason.RunPaused r -> "POST runs/%s/resume.".formatted(r.run());
      case WaitReason.Parked r ->
          r.signal() == null
              ? "Wait, or requeue the job."
              : "Send signal '%s'.".formatted(r.signal());
      case WaitReason.NotWaiting r -> "None.";
    };
  }
}
