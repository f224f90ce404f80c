package dev.holdfast.cli.run;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.cli.print.Json;
import dev.holdfast.engine.workflow.Graph;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Sends a signal to a run. */
@Command(
    name = "signal",
    description = "Send a signal to a run. It is kept until a step awaits it.")
public final class SignalCommand extends OneRunCommand {

  @Parameters(index = "1", paramLabel = "NAME", description = "The name of the signal.")
  @SuppressWarnings("NullAway.Init")
  private String name;

  @Option(
      names = "--payload",
      paramLabel = "JSON",
      description = "The payload of the signal. Defaults to none.")
  private @Nullable String payload;

  @Option(
      names = "--id",
      paramLabel = "TEXT",
      description =
          "The id of the signal: a second one with the same name and id is ignored. Defaults to a"
              + " new one.")
  private @Nullable String signalId;

  @Option(names = "--force", description = "Send it even if no step of the run awaits this signal.")
  private boolean force;

  private @Nullable JsonNode value;

  @Override
  protected void check() {
    checked(() -> Names.signal(name));
    checked(() -> SignalOptions.of(this::options));
    String text = payload;
    if (text != null) {
      value = checked(() -> Json.read(text));
    }
  }

  private void options(SignalOptions.Builder signal) {
    if (signalId != null) {
      signal.id(signalId);
    }
  }

  @Override
  protected int ask(Session session) {
    Run run = find(session);
    List<String> awaited = awaited(ShowCommand.graph(session, run));
    if (!force && !awaited.contains(name)) {
      return session.report(
          false,
          "No step of run %s awaits signal '%s'; nothing was sent: %s"
              .formatted(
                  id(),
                  name,
                  Suggestion.orElse(
                      name,
                      awaited,
                      awaited.isEmpty()
                          ? "its workflow awaits none."
                          : "it awaits %s.".formatted(String.join(", ", awaited)))));
    }
    session.client().runs().signal(id(), name, value, this::options);
    return session.report(true, "Signal '%s' is sent to run %s.".formatted(name, id()));
  }

  private static List<String> awaited(Graph graph) {
    return graph.steps().stream()
        .flatMap(step ->
            step.work() instanceof Graph.Work.Signal signal
                ? Stream.of(signal.signal())
                : Stream.empty())
        .distinct()
        .toList();
  }
}
