package dev.holdfast.worker;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reports how attempts ended, and the progress of running ones. */
final class HttpOutcomes implements Outcomes {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MOST = 500;

  private final WorkerApi api;

  HttpOutcomes(WorkerApi api) {
    this.api = api;
  }

  @Override
  public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
    List<Result> results = new ArrayList<>(finishes.size());
    for (int from = 0; from < finishes.size(); from += MOST) {
      results.addAll(
          send(incarnation, finishes.subList(from, Math.min(finishes.size(), from + MOST))));
    }
    return results;
  }

  private List<Result> send(UUID incarnation, List<? extends Finish> finishes) {
    ObjectNode body = WorkerJson.object();
    ArrayNode outcomes = body.putArray("outcomes");
    for (Finish finish : finishes) {
      ObjectNode unused = WorkerJson.outcome(outcomes.addObject(), finish);
    }
    Optional<JsonNode> reply = api.call(incarnation, "outcomes", body, PATIENCE);
    List<Result> results = new ArrayList<>(finishes.size());
    for (int i = 0; i < finishes.size(); i++) {
      results.add(
          reply.isEmpty()
              ? Result.LOST
              : result(finishes.get(i), reply.get().path("outcomes").path(i)));
    }
    return results;
  }

  private static Result result(Finish finish, JsonNode json) {
    String result = json.path("result").asString("");
    return switch (result) {
      case "RECORDED" -> Result.WRITTEN;
      case "CANCELLED" -> Result.CANCELLED_INSTEAD;
      case "LOST" -> Result.LOST;
      default ->
          throw new StoreException(
              StoreException.Outcome.REFUSED,
              "The server did not record the outcome of job %s: %s"
                  .formatted(finish.claim().id(), result),
              null);
    };
  }

  @Override
  public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
    ObjectNode body = WorkerJson.object();
    ArrayNode jobs = body.putArray("jobs");
    for (Note note : notes) {
      put(WorkerJson.put(jobs.addObject(), note.claim()), JobNotes.read(note.text()));
    }
    Set<ClaimId> stored = new HashSet<>();
    api.call(incarnation, "progress", body, PATIENCE)
        .ifPresent(reply -> {
          for (JsonNode job : reply.path("jobs")) {
            if (job.path("result").asString().equals("STORED")) {
              stored.add(WorkerJson.claim(job));
            }
          }
        });
    return stored;
  }

  private static void put(ObjectNode job, JobNotes notes) {
    if (notes.progress() != null) {
      job.putObject("progress")
          .put("done", notes.progress().done())
          .put("total", notes.progress().total())
          .put("message", notes.progress().message());
    }
    ArrayNode log = job.putArray("log");
    notes
        .log()
        .forEach(line ->
            log.addObject()
                .put("at", line.at().toString())
                .put("attempt", line.attempt())
                .put("text", line.text()));
  }
}
