package dev.holdfast.server.api;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.store.NewJob.Stamp;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.worker.RemoteWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** The jobs that handlers on remote workers enqueue. */
final class WorkerJobs {
  private static final int MOST_AT_ONCE = 1_000;

  private final RemoteWorkers workers;

  WorkerJobs(RemoteWorkers workers) {
    this.workers = workers;
  }

  /** Enqueues all of the jobs, or none. Can be repeated: the worker chooses their ids. */
  Response enqueue(Call call) {
    Worker worker = CallingWorker.of(workers, call);
    Fields body = call.body();
    UUID parent = body.parsed("parent", UUID::fromString, "must be a UUID");
    String stack = body.parsed("stack", WorkerFields::stack, "must be the name of a stack");
    List<JobRequest<JsonNode, Void>> requests = new ArrayList<>();
    for (Fields job : body.objects("jobs")) {
      requests.add(request(call, job));
      job.noOthers();
    }
    body.done();
    if (requests.isEmpty() || requests.size() > MOST_AT_ONCE) {
      throw Code.INVALID_REQUEST.because(
          "%d jobs are not possible in one request: give 1 to %d.", requests.size(), MOST_AT_ONCE);
    }
    if (stack != null && !workers.isStack(call.tenant(), worker, stack)) {
      throw Code.INVALID_REQUEST.because(
          "No worker, node or package has stack '%s': register the worker with it, or leave it"
              + " out.",
          stack);
    }
    boolean isHeld = parent != null && workers.holds(call.tenant(), worker, new JobId(parent));
    Holdfast client =
        call.tenant()
            .client()
            .from(origin -> {
              JobOrigin own = inOwnStack(origin, stack);
              return isHeld && parent != null ? own.childrenOf(new JobId(parent)) : own;
            });
    ArrayNode results = JsonText.array();
    client
        .enqueueAll(requests)
        .forEach(enqueued ->
            results.add(
                JsonText.object()
                    .putText("id", enqueued.id())
                    .putText("outcome", enqueued.outcome())
                    .done()));
    return Response.ok(JsonText.object().set("jobs", results).done());
  }

  /** What a version of a package creates for itself stays in that version. */
  private static JobOrigin inOwnStack(JobOrigin origin, @Nullable String stack) {
    return task -> {
      Stamp stamp = origin.of(task);
      return stack != null && stamp.stack() != null && sameName(stack, stamp.stack())
          ? new Stamp(stack, stamp.source())
          : stamp;
    };
  }

  private static boolean sameName(String one, String other) {
    int end = one.indexOf('@');
    return end > 0 && other.startsWith(one.substring(0, end + 1));
  }

  private static JobRequest<JsonNode, Void> request(Call call, Fields job) {
    UUID id = job.parsed("id", UUID::fromString, "must be a UUID");
    job.require("id");
    String task = job.text("task");
    JsonNode payload = JobFields.payload(job);
    Consumer<JobOptions.Builder> options = JobFields.options(job, true);
    JobPolicy policy = policy(job.json("policy"));
    if (!task.isEmpty()) {
      Patterns.requireTask(call, task);
    }
    return JobRequest.of(
            TaskType.of(task.isEmpty() ? "missing" : task, JsonNode.class),
            payload,
            options.andThen(builder -> apply(policy, builder)))
        .withId(new JobId(id == null ? new UUID(0, 0) : id));
  }

  private static JobPolicy policy(@Nullable JsonNode json) {
    if (json == null) {
      return JobPolicy.NONE;
    }
    try {
      return JobPolicyJson.read(json.toString());
    } catch (RuntimeException unreadable) {
      throw Code.INVALID_REQUEST.because(
          "The policy of a job cannot be read (%s): send it as a claim returns it.", unreadable);
    }
  }

  private static void apply(JobPolicy policy, JobOptions.Builder job) {
    if (policy.retry() != null) {
      job.retry(policy.retry());
    }
    if (policy.timeout() != null) {
      job.timeout(policy.timeout());
    }
    if (policy.heartbeatTimeout() != null) {
      job.heartbeatTimeout(policy.heartbeatTimeout());
    }
    if (policy.keepResult() != null) {
      job.keepResult(policy.keepResult());
    }
    if (policy.crash() != null) {
      job.onCrash(policy.crash());
    }
  }
}
