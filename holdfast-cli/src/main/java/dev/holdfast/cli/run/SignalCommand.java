package dev.holdfast.cli.run;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.RunArgument;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.engine.workflow.Graph;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Sends a signal to a run. */
@Command(
    name = "signal",
    description = "Send a signal to a run. It is kept until a step awaits it.")
public final class SignalCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();

  @Mixin private final RunArgument run = new RunArgument();

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

  @Override
  public Integer call() {
    ObjectNode body = Json.object().put("name", target.checked(() -> Names.signal(name)));
    String text = payload;
    if (text != null) {
      body.set("payload", target.checked(() -> Json.read(text)));
    }
    if (signalId != null) {
      body.put("id", signalId);
    }
    return target.run(session -> {
      if (!force) {
        requireAwaited(session);
      }
      return session.done(
          session.create(session.path("runs", run.id(), "signals"), body),
          "Signal '%s' is sent to run %s.".formatted(name, run.id()));
    });
  }

  private void requireAwaited(Session session) {
    List<String> awaited =
        awaited(RunJson.graph(session, session.get(session.path("runs", run.id()))));
    if (!awaited.contains(name)) {
      throw ApiException.refused(
          ExitCode.NOT_FOUND,
          "No step of run %s awaits signal '%s'; nothing was sent: %s"
              .formatted(
                  run.id(),
                  name,
                  Suggestion.orElse(
                      name,
                      awaited,
                      awaited.isEmpty()
                          ? "its workflow awaits none."
                          : "it awaits %s.".formatted(String.join(", ", awaited)))));
    }
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
