package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.DurationConverter;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Enqueues a job. */
@Command(
    name = "enqueue",
    description = "Enqueue one job.",
    footer =
        "The command does not know the defaults that the task type declares in code, such as its"
            + " queue and retry policy: pass every option that differs from the defaults above.")
public final class EnqueueCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();

  @Parameters(
      index = "0",
      paramLabel = "TASK",
      converter = NameConverter.OfTask.class,
      description = "The task name, such as email::send.")
  @SuppressWarnings("NullAway.Init")
  private String task;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PAYLOAD",
      defaultValue = "{}",
      description = "The payload as JSON. Defaults to {}.")
  private String payload = "{}";

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      converter = NameConverter.OfQueue.class,
      description = "The queue. Defaults to default.")
  private @Nullable String queue;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "The priority, from 0 to 9; 9 is the most urgent. Defaults to 4.")
  private @Nullable Integer priority;

  @Option(
      names = "--in",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Run the job after this delay, such as 90s, 5m, 2h or 1d. Defaults to now.")
  private @Nullable Duration in;

  @Option(
      names = "--at",
      paramLabel = "INSTANT",
      description = "Run the job at this time, such as 2027-01-01T00:00:00Z.")
  private @Nullable Instant at;

  @Option(names = "--tag", paramLabel = "WORD", description = "Add a tag. May be repeated.")
  private List<String> tags = List.of();

  @Option(
      names = "--unique",
      paramLabel = "KEY",
      description =
          "Set this unique key. If a job of the task that has not ended has it, no job is"
              + " enqueued.")
  private @Nullable String unique;

  @Option(
      names = "--attempt-timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "The timeout of one attempt. Defaults to no timeout.")
  private @Nullable Duration attemptTimeout;

  @Override
  public Integer call() {
    if (in != null && at != null) {
      throw target.wrongUse("Use either --in or --at, not both.");
    }
    ObjectNode body = Json.object().put("task", task);
    body.set("payload", target.checked(() -> Json.read(payload)));
    if (queue != null) {
      body.put("queue", queue);
    }
    Integer level = priority;
    if (level != null) {
      target.checked(() -> JobOptions.DEFAULTS.with(job -> job.priority(level)));
      body.put("priority", level);
    }
    if (in != null) {
      body.put("runIn", in.toString());
    }
    if (at != null) {
      body.put("runAt", at.toString());
    }
    if (!tags.isEmpty()) {
      tags.forEach(body.putArray("tags")::add);
    }
    if (unique != null) {
      body.putObject("unique").put("key", unique);
    }
    if (attemptTimeout != null) {
      body.put("timeout", attemptTimeout.toString());
    }
    return target.run(session -> enqueue(session, body));
  }

  private int enqueue(Session session, ObjectNode body) {
    JsonNode result = session.create(session.path("jobs"), body);
    if (session.json()) {
      return session.done(result, "");
    }
    String id = Value.text(result, "id");
    StringBuilder waits = new StringBuilder();
    session
        .get(session.path("jobs", id))
        .get("why")
        .forEach(why -> waits.append(' ').append(Value.text(why, "message")));
    return session.done(
        result,
        (Value.text(result, "outcome").equals("EXISTING")
                ? "No job was enqueued: job %s already has the unique key '%s'."
                    .formatted(id, unique)
                : "Job %s is enqueued.".formatted(id))
            + waits);
  }
}
