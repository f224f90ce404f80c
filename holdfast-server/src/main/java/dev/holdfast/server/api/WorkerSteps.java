package dev.holdfast.server.api;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Journals.Taken;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.worker.RemoteWorkers;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** The durable steps of jobs that remote workers hold. */
final class WorkerSteps {
  private static final int LARGEST_OUTPUT = 1 << 20;
  private static final JsonCodec JSON = new JsonCodec();

  private final RemoteWorkers workers;

  WorkerSteps(RemoteWorkers workers) {
    this.workers = workers;
  }

  /**
   * The entries that a worker writes by themselves: others are written with what they are about.
   */
  private enum Written {
    RUN,
    TIMED_OUT,
    PATCH
  }

  private Worker worker(Call call) {
    return CallingWorker.of(workers, call);
  }

  Response journal(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    UUID job = body.parsed("job", UUID::fromString, "must be a UUID");
    body.require("job");
    body.done();
    Optional<List<JournalEntry>> journal =
        job == null ? Optional.empty() : workers.journal(call.tenant(), worker, new JobId(job));
    ArrayNode entries = JsonText.array();
    journal
        .orElse(List.of())
        .forEach(entry ->
            entries.add(
                JsonText.object()
                    .put("name", entry.key().name())
                    .put("occurrence", entry.key().occurrence())
                    .putText("kind", entry.kind())
                    .set("output", json(entry.output()))
                    .done()));
    return Response.ok(
        JsonText.object()
            .put("result", journal.isPresent() ? "READ" : "LOST")
            .set("entries", entries)
            .done());
  }

  private static @Nullable JsonNode json(@Nullable String text) {
    return text == null ? null : JsonText.orString(text);
  }

  Response append(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    ClaimId claim = WorkerFields.claim(body);
    EntryKey key = WorkerFields.entry(body, "name", false);
    Written kind = body.oneOf("kind", Written.class);
    body.require("kind");
    JsonNode output = body.json("output");
    body.done();
    EntryKind written =
        switch (kind == null ? Written.RUN : kind) {
          case RUN -> EntryKind.RUN;
          case TIMED_OUT -> EntryKind.TIMED_OUT;
          case PATCH -> EntryKind.PATCH;
        };
    String text = output == null ? null : Encoding.storable(JSON.encode(output));
    if (text != null && Utf8Length.exceeds(text, LARGEST_OUTPUT)) {
      return result("TOO_LARGE");
    }
    boolean stored =
        workers.append(call.tenant(), worker, claim, new JournalEntry(key, written, text));
    return result(stored ? "STORED" : "LOST");
  }

  Response take(Call call) {
    Worker worker = worker(call);
    Fields body = call.body();
    ClaimId claim = WorkerFields.claim(body);
    EntryKey key = WorkerFields.entry(body, "name", true);
    body.done();
    return switch (workers.take(call.tenant(), worker, claim, key)) {
      case Taken.Received(String payload) ->
          Response.ok(
              JsonText.object().put("result", "RECEIVED").set("payload", json(payload)).done());
      case Taken.Nothing() -> result("NOTHING");
      case Taken.Lost() -> result("LOST");
    };
  }

  private static Response result(String result) {
    return Response.ok(JsonText.object().put("result", result).done());
  }
}
