package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.JobArgument;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.connect.WatchOptions;
import dev.holdfast.cli.print.Bar;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Printable;
import dev.holdfast.cli.print.Value;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Follows a job until it ends. */
@Command(
    name = "watch",
    description = "Follow a job until it ends, with the progress that it reports.",
    footer = "The exit code is 0 if the job succeeded, and 7 if it did not.")
public final class WatchJobCommand implements Callable<Integer> {
  private static final Set<String> ENDED = Set.of("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED");

  /** Moves the cursor to the start of its line, and clears the line. */
  private static final String CLEAR_LINE = "\r\u001b[2K";

  private static final int WIDEST = 100;

  /** The stream sends an event when a job ends, but none for its progress. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  @Mixin private final Target target = new Target();
  @Mixin private final WatchOptions watch = new WatchOptions();

  @Mixin private final JobArgument job = new JobArgument();

  private String shown = "";
  private JsonNode last = Json.object();

  @Override
  public Integer call() {
    return target.run(this::follow);
  }

  private int follow(Session session) {
    boolean redraws = watch.redraws() && !session.json();
    watch
        .polling(session, "jobs", BETWEEN_LOOKS)
        .until(() -> {
          last = session.get(session.path("jobs", job.id()));
          if (!session.json()) {
            show(line(last), redraws, session.out());
          }
          return ENDED.contains(Value.text(last, "state"));
        });
    if (session.json()) {
      Json.print(last, session.out());
    } else if (redraws) {
      session.out().println();
    }
    session.out().flush();
    return (Value.text(last, "state").equals("SUCCEEDED") ? ExitCode.DONE : ExitCode.RUN_FAILED)
        .number();
  }

  private void show(String line, boolean redraws, PrintWriter out) {
    if (!line.equals(shown)) {
      shown = line;
      out.print(redraws ? CLEAR_LINE + line : line + System.lineSeparator());
      out.flush();
    }
  }

  private static String line(JsonNode job) {
    StringBuilder line =
        new StringBuilder(
            "%s, attempt %s".formatted(Value.text(job, "state"), Value.text(job, "attempt")));
    JsonNode progress = Value.of(job, "progress");
    if (progress != null) {
      line.append("  ").append(bar(progress)).append("  ").append(Value.text(progress, "message"));
    }
    job.get("why").forEach(why -> line.append("  ").append(Value.text(why, "message")));
    String failure = failure(job);
    return Printable.shortened(
        failure == null ? line.toString().stripTrailing() : line + "  " + failure, WIDEST);
  }

  private static String bar(JsonNode progress) {
    return Bar.of(
        Long.parseLong(Value.text(progress, "done")),
        Long.parseLong(Value.text(progress, "total")));
  }

  private static @Nullable String failure(JsonNode job) {
    JsonNode failures = job.get("failures");
    return failures.isEmpty() ? null : Value.text(failures.get(failures.size() - 1), "message");
  }
}
