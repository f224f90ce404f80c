package dev.holdfast.worker;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunIntake;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** The durable steps of jobs that the worker holds, in the journals of the server. */
final class HttpJournals implements Journals {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final WorkerApi api;
  private final Supplier<@Nullable UUID> current;

  /**
   * @param current returns which incarnation is registered
   */
  HttpJournals(WorkerApi api, Supplier<@Nullable UUID> current) {
    this.api = api;
    this.current = current;
  }

  @Override
  public List<JournalEntry> load(JobId job) {
    UUID worker = current.get();
    Optional<JsonNode> reply =
        worker == null
            ? Optional.empty()
            : api.call(worker, "journal", WorkerJson.object().put("job", job.toString()), PATIENCE);
    JsonNode read = reply.filter(journal -> is(journal, "READ")).orElse(null);
    if (read == null) {
      // An empty journal would let the handler execute its steps again.
      throw refused("The journal of job %s cannot be read, because it is lost.".formatted(job));
    }
    List<JournalEntry> entries = new ArrayList<>();
    for (JsonNode entry : read.path("entries")) {
      entries.add(
          new JournalEntry(
              new EntryKey(entry.path("name").asString(), entry.path("occurrence").asInt()),
              EntryKind.valueOf(entry.path("kind").asString()),
              WorkerJson.text(entry.path("output"))));
    }
    return entries;
  }

  @Override
  public boolean append(UUID incarnation, ClaimId claim, JournalEntry entry) {
    ObjectNode body = named(claim, entry.key()).put("kind", entry.kind().name());
    if (entry.output() != null) {
      body.putRawValue("output", new RawValue(entry.output()));
    }
    Optional<JsonNode> reply = api.call(incarnation, "steps", body, PATIENCE);
    if (reply.filter(written -> is(written, "TOO_LARGE")).isPresent()) {
      throw refused(
          "The result of step '%s' of job %s is too large for the server: store it elsewhere, and return where."
              .formatted(entry.key().name(), claim.id()));
    }
    return reply.filter(written -> is(written, "STORED")).isPresent();
  }

  @Override
  public Taken take(UUID incarnation, ClaimId claim, EntryKey key) {
    Optional<JsonNode> reply = api.call(incarnation, "signals", named(claim, key), PATIENCE);
    if (reply.isEmpty() || is(reply.get(), "LOST")) {
      return new Taken.Lost();
    }
    return is(reply.get(), "RECEIVED")
        ? new Taken.Received(WorkerJson.text(reply.get().path("payload")))
        : new Taken.Nothing();
  }

  @Override
  public boolean transaction(UUID incarnation, ClaimId claim, EntryKey key, Body body) {
    throw new UnsupportedOperationException(
        "Step '%s' of job %s needs a transaction in the database, which a remote worker does not reach: use run(), or run its task on a node with a database."
            .formatted(key.name(), claim.id()));
  }

  @Override
  public Sent signal(JobId job, RunIntake.NewSignal signal) {
    throw new UnsupportedOperationException(
        "A remote worker cannot send a signal to job %s: use the API of the server."
            .formatted(job));
  }

  private static ObjectNode named(ClaimId claim, EntryKey key) {
    return WorkerJson.put(WorkerJson.object(), claim)
        .put("name", key.name())
        .put("occurrence", key.occurrence());
  }

  private static boolean is(JsonNode reply, String result) {
    return reply.path("result").asString("").equals(result);
  }

  private static StoreException refused(String why) {
    return new StoreException(StoreException.Outcome.REFUSED, why, null);
  }
}
