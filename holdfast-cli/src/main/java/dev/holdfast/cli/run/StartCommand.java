package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.connect.WatchOptions;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Starts a run. */
@Command(
    name = "start",
    description = "Start a run of a workflow, with the graph that was stored last.",
    footer = {
      "'holdfast workflow list' lists the workflows that can be started.",
      "With --wait, the exit code is 0 if the run succeeded, and 7 if it did not."
    })
public final class StartCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();
  @Mixin private final WatchOptions watch = new WatchOptions();

  @Parameters(
      paramLabel = "WORKFLOW",
      description = "The name of the workflow, such as orders::fulfil.")
  @SuppressWarnings("NullAway.Init")
  private String workflow;

  @Option(
      names = "--input",
      paramLabel = "JSON",
      description = "The input of the run. Defaults to {}.")
  private String input = "{}";

  @Option(
      names = "--unique",
      paramLabel = "KEY",
      description =
          "Set this unique key. If an active run of the workflow has it, none is started.")
  private @Nullable String unique;

  @Option(names = "--tag", paramLabel = "WORD", description = "Add a tag. May be repeated.")
  private List<String> tags = List.of();

  @Option(names = "--label", paramLabel = "TEXT", description = "Set a display text.")
  private @Nullable String label;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description =
          "The priority of the jobs of all steps, from 0 to 9; 9 is the most urgent. Defaults to"
              + " that of each step.")
  private @Nullable Integer priority;

  @Option(names = "--wait", description = "Follow the run until it ends, as 'run watch' does.")
  private boolean wait;

  @Override
  public Integer call() {
    ObjectNode body = Json.object().put("workflow", workflow);
    body.set("input", target.checked(() -> Json.read(input)));
    if (unique != null) {
      body.putObject("unique").put("key", unique);
    }
    if (!tags.isEmpty()) {
      tags.forEach(body.putArray("tags")::add);
    }
    if (label != null) {
      body.put("label", label);
    }
    Integer level = priority;
    if (level != null) {
      target.checked(() -> RunOptions.of(run -> run.priority(level)));
      body.put("priority", level);
    }
    return target.run(session -> start(session, body));
  }

  private int start(Session session, ObjectNode body) {
    JsonNode started = session.create(session.path("runs"), body);
    String id = Value.text(started, "id");
    if (!wait) {
      return session.done(started, sentence(started, id));
    }
    if (!session.json()) {
      session.done(started, sentence(started, id));
    }
    return RunWatch.follow(session, id, watch);
  }

  private String sentence(JsonNode started, String id) {
    return switch (Value.text(started, "outcome")) {
      case "EXISTING" ->
          "No run was started: run %s already has the unique key '%s'.".formatted(id, unique);
      case "SKIPPED" ->
          "No run was started: the maximum number of runs of workflow '%s' is active, such as run %s."
              .formatted(workflow, id);
      default ->
          wait
              ? "Run %s of workflow '%s' is started.".formatted(id, workflow)
              : "Run %s of workflow '%s' is started; 'holdfast run watch %s' follows it."
                  .formatted(id, workflow, id);
    };
  }
}
