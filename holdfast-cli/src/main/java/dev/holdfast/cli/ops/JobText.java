package dev.holdfast.cli.ops;

import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Printable;
import dev.holdfast.cli.print.Value;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Prints one job. */
final class JobText {

  private JobText() {}

  static void print(JsonNode job, PrintWriter out) {
    Fields fields = new Fields(out);
    fields.line("job", Value.text(job, "id"));
    fields.line("task", Value.text(job, "task"));
    fields.line("queue", Value.text(job, "queue") + ", priority " + Value.text(job, "priority"));
    fields.line(
        "state",
        Value.text(job, "state")
            + (Value.yesNo(job, "cancelRequested").equals("yes") ? ", cancel requested" : ""));
    job.get("why")
        .forEach(why -> {
          fields.line(
              "waits", "%s [%s]".formatted(Value.text(why, "message"), Value.text(why, "code")));
          fields.line("remedy", Value.text(why, "remedy"));
        });
    fields.line("attempt", Value.text(job, "attempt"));
    for (String name : new String[] {"node", "stack", "source", "parent", "run"}) {
      fields.line(name, Value.orNull(job, name));
    }
    fields.line("progress", progress(Value.of(job, "progress")));
    fields.line("created", Value.orNull(job, "createdAt"));
    fields.line("due", Value.orNull(job, "runAt"));
    fields.line("start by", Value.orNull(job, "startBy"));
    fields.line("started", Value.orNull(job, "startedAt"));
    fields.line("ended", Value.orNull(job, "endedAt"));
    fields.line("tags", Value.joined(job, "tags"));
    fields.line("key", Value.orNull(job, "uniqueKey"));
    fields.line("payload", Value.json(job, "payload"));
    fields.line("result", Value.json(job, "result"));
    JsonNode log = Value.of(job, "log");
    if (log != null) {
      log.forEach(line ->
          out.printf(
              "%s attempt %s: %s%n",
              Value.text(line, "at"), Value.text(line, "attempt"), Value.text(line, "text")));
    }
    job.get("failures").forEach(failure -> failure(failure, out));
    out.flush();
  }

  /** Returns the progress of a job; null if it has reported none. */
  static @Nullable String progress(@Nullable JsonNode progress) {
    if (progress == null) {
      return null;
    }
    String total = Value.text(progress, "total");
    String message = Value.text(progress, "message");
    return "%s%s%s (%s)"
        .formatted(
            Value.text(progress, "done"),
            total.equals("0") ? "" : " of " + total,
            message.isEmpty() ? "" : ", " + message,
            Value.text(progress, "reportedAt"));
  }

  private static void failure(JsonNode failure, PrintWriter out) {
    out.println();
    out.printf(
        "attempt %s failed at %s on %s: %s%n",
        Value.text(failure, "attempt"),
        Value.text(failure, "failedAt"),
        Value.text(failure, "node"),
        Value.text(failure, "code"));
    String type = Value.orNull(failure, "type");
    out.println("  " + (type == null ? "" : type + ": ") + Value.text(failure, "message"));
    JsonNode stack = Value.of(failure, "stackTrace");
    if (stack != null) {
      StackLines.of(stack.stringValue())
          .forEach(line -> out.println("    " + Printable.line(line)));
    }
  }
}
