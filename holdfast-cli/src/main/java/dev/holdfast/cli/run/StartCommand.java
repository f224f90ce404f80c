package dev.holdfast.cli.run;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.cli.ops.ClientCommand;
import dev.holdfast.cli.print.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Starts a run. */
@Command(
    name = "start",
    description = "Start a run of a workflow, with the graph that the database stored last.",
    footer = "'holdfast workflows' lists the workflows that can be started.")
public final class StartCommand extends ClientCommand {

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

  @Option(names = "--label", paramLabel = "TEXT", description = "Set a text for people.")
  private @Nullable String label;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description =
          "The priority of the jobs of all steps, from 0 to 9; 9 is the most urgent. Defaults to"
              + " that of each step.")
  private @Nullable Integer priority;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private RunOptions options = RunOptions.DEFAULTS;

  @Override
  protected void check() {
    checked(() -> Json.read(input));
    options = checked(() -> RunOptions.of(this::set));
  }

  private void set(RunOptions.Builder run) {
    run.tags(tags);
    if (unique != null) {
      run.unique(UniqueKey.whileActive(unique));
    }
    if (label != null) {
      run.label(label);
    }
    if (priority != null) {
      run.priority(priority);
    }
  }

  @Override
  protected int ask(Session session) {
    Started<Object> run = session.client().runs().start(workflow, input, options);
    if (json) {
      Json.print(Map.of("id", run.id().toString(), "outcome", run.outcome()), session.out());
      return DONE;
    }
    return session.report(
        true,
        switch (run.outcome()) {
          case CREATED ->
              "Run %s of workflow '%s' is started; 'holdfast run watch %s' follows it."
                  .formatted(run.id(), workflow, run.id());
          case EXISTING ->
              "No run was started: run %s already has the unique key '%s'."
                  .formatted(run.id(), unique);
          case SKIPPED ->
              "No run was started: the maximum number of runs of workflow '%s' is active, such as run %s."
                  .formatted(workflow, run.id());
        });
  }
}
