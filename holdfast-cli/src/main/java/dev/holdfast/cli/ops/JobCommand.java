package dev.holdfast.cli.ops;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.WaitReason;
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
@Command(
    name = "job",
    description = "Show one job: what it is, why it waits, and its failed attempts.")
public final class JobCommand extends ClientCommand {

  @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  int ask(Session session) {
    Optional<Job> found = session.client().find(id);
    if (found.isEmpty()) {
      return session.answer(false, "There is no job %s, or it is no longer kept.".formatted(id));
    }
    String waits =
        session.client().whyWaiting(id).map(WaitReason::sentence).orElse("It has just gone.");
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

  private static void print(Job job, String waits, PrintWriter out) {
    line(out, "job", job.id());
    line(out, "task", job.task());
    line(out, "queue", job.queue() + ", priority " + job.priority());
    line(out, "state", job.state() + (job.cancelRequested() ? ", asked to stop" : ""));
    line(out, "waits", job.state().hasEnded() ? null : waits);
    line(out, "attempt", job.attempt());
    line(out, "node", job.node());
    line(out, "stack", job.stack());
    line(out, "made by", job.source());
    line(out, "created", job.createdAt());
    line(out, "due", job.runAt());
    line(out, "start by", job.startBy());
    line(out, "started", job.startedAt());
    line(out, "ended", job.endedAt());
    line(out, "tags", job.tags().isEmpty() ? null : String.join(", ", job.tags()));
    line(out, "key", job.uniqueKey());
    line(out, "payload", job.payload());
    line(out, "result", job.result());
    for (FailedAttempt failure : job.failures()) {
      out.println();
      out.printf(
          "attempt %d failed at %s on %s: %s%n",
          failure.attempt(), failure.failedAt(), failure.node(), failure.code());
      String type = failure.type();
      out.println("  " + (type == null ? "" : type + ": ") + failure.message());
      String stack = failure.stack();
      if (stack != null) {
        stack.lines().forEach(frame -> out.println("    " + frame.strip()));
      }
    }
    out.flush();
  }

  private static void line(PrintWriter out, String name, @Nullable Object value) {
    if (value != null) {
      out.printf("%-9s %s%n", name, value);
    }
  }
}
