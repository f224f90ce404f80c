package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.cli.print.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts a run that repeats another one. */
@Command(
    name = "rerun",
    description = {
      "Start a new run with the results of another one.",
      "Steps before the given ones keep their outputs; the others run again."
    })
public final class RerunCommand extends OneRunCommand {

  @Option(
      names = "--from",
      paramLabel = "STEP",
      description =
          "Run this step and everything after it again. May be repeated. Defaults to all steps.")
  private List<String> from = List.of();

  @Option(
      names = "--input",
      paramLabel = "JSON",
      description = "The input of the new run. Defaults to that of the original.")
  private @Nullable String input;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected void check() {
    if (input != null) {
      String text = input;
      checked(() -> Json.read(text));
    }
  }

  @Override
  protected int ask(Session session) {
    RunId again = session.client().runs().rerun(id(), from, input);
    if (json) {
      Json.print(Map.of("id", again.toString(), "origin", id().toString()), session.out());
      return DONE;
    }
    return session.report(true, "Run %s repeats run %s.".formatted(again, id()));
  }
}
