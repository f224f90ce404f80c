package dev.holdfast.server.api;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.worker.RemoteWorkers;
import dev.holdfast.server.worker.Reported;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What remote workers get, as JSON. */
final class WorkerView {
  private WorkerView() {}

  static JsonText.Obj claim(ClaimId claim) {
    return JsonText.object().putText("job", claim.id()).put("token", claim.token());
  }

  /** Returns a claimed job, with all that the code of a task may ask for. */
  static ObjectNode job(ClaimedJob job) {
    JobPolicy policy = JobPolicyJson.readAnyhow(job.policy(), job.id());
    return claim(job.claim())
        .put("task", job.task())
        .put("queue", job.queue())
        .put("started", job.started())
        .put("attempt", job.attempt())
        .put("priority", job.priority())
        .set("payload", json(job.payload()))
        .set("tags", JsonText.texts(new TreeSet<>(job.tags())))
        .put("uniqueKey", job.uniqueKey())
        .put("timeout", policy.timeout())
        .put("heartbeatTimeout", policy.heartbeatTimeout())
        .set("policy", json(job.policy()))
        .set("notes", json(job.notes()))
        .put("createdAt", job.createdAt())
        .put("readyAt", job.readyAt())
        .put("claimedAt", job.claimedAt())
        .put("crashes", job.crashes())
        .putText("suspicion", job.suspicion())
        .set("step", step(job.step()))
        .done();
  }

  private static @Nullable JsonNode json(@Nullable String text) {
    return text == null ? null : JsonText.orString(text);
  }

  private static @Nullable ObjectNode step(@Nullable StepRef step) {
    return step == null
        ? null
        : JsonText.object()
            .putText("run", step.run())
            .put("step", step.step())
            .put("item", step.item())
            .done();
  }

  static ArrayNode results(List<Reported> reports, List<Reported.Result> results) {
    ArrayNode array = JsonText.array();
    for (int i = 0; i < reports.size(); i++) {
      array.add(claim(reports.get(i).claim()).putText("result", results.get(i)).done());
    }
    return array;
  }

  static ObjectNode reply(RemoteWorkers.Reply reply) {
    ArrayNode claims = JsonText.array();
    for (ClaimRow row : reply.claims()) {
      claims.add(
          claim(row.claim()).put("call", row.claimNo()).put("started", row.started()).done());
    }
    ArrayNode lost = JsonText.array();
    reply.lost().forEach(claim -> lost.add(claim(claim).done()));
    return JsonText.object()
        .set("claims", claims)
        .set("lost", lost)
        .set("cancel", those(reply.claims(), ClaimRow::cancelRequested))
        .set("release", those(reply.claims(), ClaimRow::releaseRequested))
        .put("drain", reply.drain())
        .put("fence", reply.fence())
        .done();
  }

  private static ArrayNode those(List<ClaimRow> rows, Predicate<ClaimRow> which) {
    ArrayNode array = JsonText.array();
    rows.stream().filter(which).forEach(row -> array.add(claim(row.claim()).done()));
    return array;
  }
}
