package dev.holdfast.cli.ops;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.cli.print.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Enqueues a job. */
@Command(
    name = "enqueue",
    description = "Enqueue one job.",
    footer =
        "The command does not know the defaults that the task type declares in code, such as its"
            + " queue and retry policy: pass every option that differs from the defaults above.")
public final class EnqueueCommand extends ClientCommand {

  @Parameters(
      index = "0",
      paramLabel = "TASK",
      converter = TasksCommand.TaskConverter.class,
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
      converter = QueueConverter.class,
      description = "The queue. Defaults to default.")
  private String queue = JobOptions.DEFAULT_QUEUE;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "The priority, from 0 to 9; 9 is the most urgent. Defaults to 4.")
  private int priority = JobOptions.DEFAULTS.priority();

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
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "The timeout of one attempt. Defaults to no timeout.")
  private @Nullable Duration timeout;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private JsonNode value = Json.read("{}");

  @Override
  protected void check() {
    if (in != null && at != null) {
      throw wrongUse("Use either --in or --at, not both.");
    }
    value = checked(() -> Json.read(payload));
    checked(() -> JobOptions.DEFAULTS.with(this::options));
  }

  @Override
  protected int ask(Session session) {
    TaskType<JsonNode, Void> type = TaskType.of(task, JsonNode.class);
    Enqueued<Void> job = session.client().enqueue(type, value, this::options);
    boolean isNew = job.created();
    if (json) {
      Json.print(Map.of("id", job.id(), "created", isNew), session.out());
      return DONE;
    }
    String waits =
        session.client().whyWaiting(job.id()).map(WaitReason::describe).orElse("It has ended.");
    return session.report(
        true,
        isNew
            ? "Job %s is enqueued. %s".formatted(job.id(), waits)
            : "No job was enqueued: job %s already has the unique key '%s'. %s"
                .formatted(job.id(), unique, waits));
  }

  private JobOptions.Builder options(JobOptions.Builder job) {
    job.queue(queue).priority(priority).tags(tags);
    if (in != null) {
      job.runIn(in);
    }
    if (at != null) {
      job.runAt(at);
    }
    if (unique != null) {
      job.unique(UniqueKey.whileActive(unique));
    }
    return timeout == null ? job : job.timeout(timeout);
  }
}
