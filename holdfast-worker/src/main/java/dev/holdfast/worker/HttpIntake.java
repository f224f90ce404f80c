package dev.holdfast.worker;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/**
 * Enqueues the jobs of handlers through a server. The key of the worker must be able to execute.
 */
final class HttpIntake implements Intake {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final WorkerApi api;
  private final Supplier<@Nullable UUID> current;
  private final @Nullable String stack;

  /**
   * @param current returns which incarnation is registered
   * @param stack the stack of the code of the worker; null for none
   */
  HttpIntake(WorkerApi api, Supplier<@Nullable UUID> current, @Nullable String stack) {
    this.api = api;
    this.current = current;
    this.stack = stack;
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    UUID worker = current.get();
    ObjectNode body = WorkerJson.object();
    if (stack != null) {
      body.put("stack", stack);
    }
    ArrayNode list = body.putArray("jobs");
    for (NewJob job : jobs) {
      JobId parent = job.content().stamp().parent();
      if (parent != null) {
        body.put("parent", parent.toString()); // The same for all jobs of a call.
      }
      put(list.addObject(), job);
    }
    JsonNode reply =
        (worker == null ? Optional.<JsonNode>empty() : api.call(worker, "jobs", body, PATIENCE))
            .orElseThrow(() ->
                new StoreException(
                    StoreException.Outcome.REFUSED,
                    "%d jobs were not enqueued: the worker was declared dead, and its job runs elsewhere."
                        .formatted(jobs.size()),
                    null));
    List<Admission> admissions = new ArrayList<>();
    for (JsonNode each : reply.path("jobs")) {
      admissions.add(
          new Admission(
              JobId.parse(each.path("id").asString()),
              Enqueued.Outcome.valueOf(each.path("outcome").asString())));
    }
    return admissions;
  }

  private static void put(ObjectNode into, NewJob job) {
    NewJob.Content content = job.content();
    into.put("id", job.id().toString())
        .put("task", content.task())
        .put("queue", content.queue())
        .put("priority", content.priority());
    if (content.payload() != null) {
      into.putRawValue("payload", new RawValue(content.payload()));
    }
    if (content.policy() != null) {
      into.putRawValue("policy", new RawValue(content.policy()));
    }
    if (content.startWithin() != null) {
      into.put("startWithin", content.startWithin().toString());
    }
    ArrayNode tags = into.putArray("tags");
    content.tags().forEach(tags::add);
    switch (job.when()) {
      case When.Now now -> {
        // The server assumes it.
      }
      case When.After after -> into.put("runIn", after.delay().toString());
      case When.At at -> into.put("runAt", at.time().toString());
    }
    UniqueKey unique = job.unique();
    if (unique != null) {
      ObjectNode key =
          into.putObject("unique")
              .put("key", unique.value())
              .put("onConflict", unique.onConflict().name());
      if (unique.window() != null) {
        key.put("window", unique.window().toString());
      }
    }
  }

  /** The server checks it. */
  @Override
  public boolean isDeclared(String queue) {
    return true;
  }
}
