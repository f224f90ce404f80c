package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.cli.connect.RunArgument;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Value;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Shows one run. */
@Command(
    name = "show",
    description = "Show one run with its steps: timings, attempts, errors, and why a step waits.")
public final class ShowCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();

  @Mixin private final RunArgument given = new RunArgument();

  @Override
  public Integer call() {
    return target.run(this::show);
  }

  private int show(Session session) {
    JsonNode run = session.get(session.path("runs", given.id()));
    if (session.json()) {
      return session.done(run, "");
    }
    PrintWriter out = session.out();
    print(run, out);
    out.println();
    TextGraph.lines(RunJson.picture(session, run, Instant.now()), false).forEach(out::println);
    run.get("steps")
        .forEach(step -> {
          if (hasDetails(step)) {
            printStep(step, out);
          }
        });
    out.flush();
    return 0;
  }

  private static void print(JsonNode run, PrintWriter out) {
    Fields fields = new Fields(out);
    fields.line("run", Value.text(run, "id"));
    fields.line("workflow", Value.text(run, "workflow"));
    fields.line("graph", Value.text(run, "definition"));
    fields.line("state", Value.text(run, "state"));
    fields.line("reason", Value.orNull(run, "reason"));
    fields.line("label", Value.orNull(run, "label"));
    fields.line("tags", Value.joined(run, "tags"));
    fields.line("key", Value.orNull(run, "uniqueKey"));
    fields.line("parent", Value.orNull(run, "parent"));
    fields.line("rerun of", Value.orNull(run, "origin"));
    fields.line("created", Value.orNull(run, "createdAt"));
    String ended = Value.orNull(run, "endedAt");
    fields.line("ended", ended == null ? null : ended + "," + RunJson.took(run));
    fields.line("input", Value.json(run, "input"));
    fields.line("result", Value.json(run, "result"));
  }

  /** Steps that were skipped, or never came to run, are described by the graph. */
  private static boolean hasDetails(JsonNode step) {
    StepState state = StepState.valueOf(Value.text(step, "state"));
    return state == StepState.PENDING
        ? Value.of(step, "waitsFor") != null
        : state != StepState.SKIPPED;
  }

  private static void printStep(JsonNode step, PrintWriter out) {
    out.println();
    out.printf("step %s%n", Value.text(step, "name"));
    Fields fields = new Fields(out);
    fields.line("state", Value.text(step, "state"));
    fields.line("waits", Value.orNull(step, "waitsFor"));
    fields.line("job", Value.orNull(step, "job"));
    fields.line("child", Value.orNull(step, "child"));
    fields.line("started", Value.orNull(step, "startedAt"));
    fields.line("ended", Value.orNull(step, "endedAt"));
    String attempts = Value.text(step, "attempts");
    fields.line("attempts", attempts.equals("0") ? null : attempts);
    fields.line("input", Value.json(step, "input"));
    fields.line("output", Value.json(step, "output"));
    fields.line("failure", Value.orNull(step, "failure"));
    step.get("failures")
        .forEach(failure -> {
          String type = Value.text(failure, "type");
          out.printf(
              "attempt %s failed at %s on %s: %s, %s%s%n",
              Value.text(failure, "attempt"),
              Value.text(failure, "failedAt"),
              Value.text(failure, "node"),
              Value.text(failure, "code"),
              type.isEmpty() ? "" : type + ": ",
              Value.text(failure, "message"));
        });
  }
}
