package dev.holdfast.cli.ops;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one job. */
@Command(name = "job", description = "Show one job, why it waits, and its failed attempts.")
public final class JobCommand extends ClientCommand {

  @Parameters(
      paramLabel = "ID",
      converter = JobIdConverter.class,
      description = "The id of the job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    Optional<Job> found = session.client().find(id);
    if (found.isEmpty()) {
      return session.report(
          false, "There is no job %s, or its retention has expired.".formatted(id));
    }
    String waits =
        session
            .client()
            .whyWaiting(id)
            .map(WaitReason::describe)
            .orElse("The job was just deleted.");
    if (json) {
      Map<String, Object> both = new LinkedHashMap<>();
      both.put("job", found.get());
      both.put("waits", waits);
      Json.print(both, session.out());
    } else {
      print(found.get(), waits, session.out());
    }
    return DONE;
  }

  private static @Nullable String progress(@Nullable JobProgress progress) {
    if (progress == null) {
      return null;
    }
    String done =
        progress.total() == 0
            ? Long.toString(progress.done())
            : "%d of %d".formatted(progress.done(), progress.total());
    return "%s, %s (%s)".formatted(done, progress.message(), progress.reportedAt());
  }

  private static void print(Job job, String waits, PrintWriter out) {
    Fields fields = new Fields(out);
    fields.line("job", job.id());
    fields.line("task", job.task());
    fields.line("queue", job.queue() + ", priority " + job.priority());
    fields.line("state", job.state() + (job.cancelRequested() ? ", cancel requested" : ""));
    fields.line("waits", job.state().hasEnded() ? null : waits);
    fields.line("attempt", job.attempt());
    fields.line("node", job.node());
    fields.line("stack", job.stack());
    fields.line("source", job.source());
    fields.line("parent", job.parent());
    fields.line("progress", progress(job.progress()));
    fields.line("created", job.createdAt());
    fields.line("due", job.runAt());
    fields.line("start by", job.startBy());
    fields.line("started", job.startedAt());
    fields.line("ended", job.endedAt());
    fields.line("tags", job.tags().isEmpty() ? null : String.join(", ", job.tags()));
    fields.line("key", job.uniqueKey());
    fields.line("payload", job.payload());
    fields.line("result", job.result());
    for (JobLogLine line : job.log()) {
      out.printf("%s attempt %d: %s%n", line.at(), line.attempt(), line.text());
    }
    for (FailedAttempt failure : job.failures()) {
      out.println();
      out.printf(
          "attempt %d failed at %s on %s: %s%n",
          failure.attempt(), failure.failedAt(), failure.node(), failure.code());
      String type = failure.type();
      out.println("  " + (type == null ? "" : type + ": ") + failure.message());
      String stack = failure.stackTrace();
      if (stack != null) {
        StackLines.of(stack).forEach(line -> out.println("    " + line));
      }
    }
    out.flush();
  }
}
