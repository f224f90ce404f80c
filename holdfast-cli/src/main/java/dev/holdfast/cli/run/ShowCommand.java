package dev.holdfast.cli.run;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.cli.graph.Elapsed;
import dev.holdfast.cli.graph.Picture;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.workflow.Graph;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows one run. */
@Command(
    name = "show",
    description = "Show one run with its steps: timings, attempts, errors, and why a step waits.")
public final class ShowCommand extends OneRunCommand {
  private static final int LONGEST = 400;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    Run run = find(session);
    if (json) {
      Json.print(RunView.full(run), session.out());
      return DONE;
    }
    print(run, session.out());
    session.out().println();
    TextGraph.lines(Picture.of(graph(session, run), run, Instant.now()), false)
        .forEach(session.out()::println);
    run.steps().stream()
        .filter(ShowCommand::hasDetails)
        .forEach(step -> print(step, session.out()));
    session.out().flush();
    return DONE;
  }

  private static void print(Run run, PrintWriter out) {
    Fields fields = new Fields(out);
    fields.line("run", run.id());
    fields.line("workflow", run.workflow());
    fields.line("graph", run.definition());
    fields.line("state", run.state());
    fields.line("reason", run.reason().orElse(null));
    fields.line("label", run.label().orElse(null));
    fields.line("tags", run.tags().isEmpty() ? null : String.join(", ", run.tags()));
    fields.line("key", run.uniqueKey().orElse(null));
    fields.line("parent", run.parent().orElse(null));
    fields.line("rerun of", run.origin().orElse(null));
    fields.line("created", run.createdAt());
    fields.line(
        "ended",
        run.endedAt()
            .map(end ->
                "%s, after %s".formatted(end, Elapsed.of(Duration.between(run.createdAt(), end))))
            .orElse(null));
    fields.line("input", shortened(run.input()));
    fields.line("result", shortened(run.result()));
  }

  /** Steps that were skipped, or never came to run, are described by the graph. */
  private static boolean hasDetails(RunStep step) {
    return step.state() == StepState.PENDING
        ? step.waitsFor().isPresent()
        : step.state() != StepState.SKIPPED;
  }

  private static void print(RunStep step, PrintWriter out) {
    out.println();
    out.printf("step %s%n", step.name());
    Fields fields = new Fields(out);
    fields.line("state", step.state());
    fields.line("waits", step.waitsFor().orElse(null));
    fields.line("job", step.job().orElse(null));
    fields.line("child", step.child().orElse(null));
    fields.line("started", step.startedAt().orElse(null));
    fields.line("ended", step.endedAt().orElse(null));
    fields.line("attempts", step.attempts() == 0 ? null : step.attempts());
    fields.line("input", shortened(step.input()));
    fields.line("output", shortened(step.output()));
    fields.line("failure", step.failure().orElse(null));
    for (FailedAttempt failure : step.failures()) {
      String type = failure.type();
      out.printf(
          "attempt %d failed at %s on %s: %s, %s%s%n",
          failure.attempt(),
          failure.failedAt(),
          failure.node(),
          failure.code(),
          type == null ? "" : type + ": ",
          failure.message());
    }
  }

  private static @Nullable String shortened(Optional<String> text) {
    return text.map(all ->
            all.length() <= LONGEST
                ? all
                : "%s... (%d characters, see --json)"
                    .formatted(all.substring(0, LONGEST), all.length()))
        .orElse(null);
  }

  /** Returns the graph that a run pins. */
  static Graph graph(Session session, Run run) {
    return ((HoldfastClient) session.client()).workflows().stored(run.definition());
  }
}
