package dev.holdfast.worker;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** The values of the store SPI in the protocol of remote workers. */
final class WorkerJson {
  private WorkerJson() {}

  static ObjectNode object() {
    return WorkerApi.JSON.createObjectNode();
  }

  static ObjectNode put(ObjectNode into, ClaimId claim) {
    return into.put("job", claim.id().toString()).put("token", String.valueOf(claim.token()));
  }

  static ClaimId claim(JsonNode json) {
    return new ClaimId(
        JobId.parse(json.path("job").asString()), Long.parseLong(json.path("token").asString()));
  }

  static ClaimedJob job(JsonNode json) {
    Set<String> tags = new HashSet<>();
    json.path("tags").forEach(tag -> tags.add(tag.asString()));
    ClaimId claim = claim(json);
    return new ClaimedJob(
        claim.id(),
        claim.token(),
        json.path("task").asString(),
        json.path("queue").asString(),
        json.path("started").asBoolean(),
        json.path("attempt").asInt(),
        json.path("priority").asInt(),
        text(json.path("payload")),
        tags,
        text(json.path("policy")),
        json.path("uniqueKey").isNull() ? null : json.path("uniqueKey").asString(),
        text(json.path("notes")),
        Instant.parse(json.path("createdAt").asString()),
        Instant.parse(json.path("readyAt").asString()),
        Instant.parse(json.path("claimedAt").asString()),
        json.path("crashes").asInt(),
        Suspicion.valueOf(json.path("suspicion").asString()),
        step(json.path("step")));
  }

  static @Nullable String text(JsonNode json) {
    return json.isNull() || json.isMissingNode() ? null : json.toString();
  }

  private static @Nullable StepRef step(JsonNode json) {
    return json.isObject()
        ? new StepRef(
            RunId.parse(json.path("run").asString()),
            json.path("step").asInt(),
            json.path("item").asInt())
        : null;
  }

  /** Writes how an attempt ended. */
  static ObjectNode outcome(ObjectNode into, Finish finish) {
    put(into, finish.claim());
    switch (finish) {
      case Finish.Succeeded done -> {
        into.put("outcome", "SUCCEEDED");
        if (done.result() != null) {
          into.putRawValue("result", new RawValue(done.result()));
        }
        put(into, "keepResult", done.keepResult());
      }
      case Finish.RetryIn retry -> {
        failure(into, retry.failure());
        put(into, "retryIn", retry.delay());
      }
      case Finish.Dead dead -> failure(into, dead.failure()).put("final", true);
      case Finish.Later later -> {
        into.put("outcome", "LATER").put("ran", later.ran());
        put(into, "delay", later.delay());
      }
      case Finish.Cancelled cancelled -> into.put("outcome", "CANCELLED");
      case Finish.Parked parked -> {
        into.put("outcome", "PARKED")
            .put("step", parked.entry().key().name())
            .put("occurrence", parked.entry().key().occurrence());
        put(into, "delay", parked.wake());
        if (parked.signal() != null) {
          into.put("signal", parked.signal());
        }
      }
    }
    return into;
  }

  private static void put(ObjectNode into, String name, @Nullable Duration value) {
    if (value != null) {
      into.put(name, value.toString());
    }
  }

  private static ObjectNode failure(ObjectNode into, Finish.Failure failure) {
    into.put("outcome", "FAILED").put("code", failure.code()).put("message", failure.message());
    if (failure.type() != null) {
      into.put("type", failure.type());
    }
    if (failure.stackTrace() != null) {
      into.put("stackTrace", failure.stackTrace());
    }
    return into;
  }
}
