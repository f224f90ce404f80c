package dev.holdfast.cli.workflow;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.cli.database.DatabaseOptions;
import dev.holdfast.cli.database.OpenStore;
import dev.holdfast.cli.graph.Mermaid;
import dev.holdfast.cli.graph.Picture;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.workflow.Graph;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Draws workflows and runs. */
@Command(
    name = "graph",
    description = {
      "Draw the workflows of a class path, or a workflow or a run of a database.",
      "As text, or as a Mermaid flowchart."
    })
public final class GraphCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "CLASSPATH",
      description = "A jar, a folder of classes, or a class path as for 'java -cp'.")
  private @Nullable String path;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "WORKFLOW",
      description = "Draw this workflow of the class path. Defaults to all of them.")
  private @Nullable String name;

  /** What to draw of a database. */
  static final class Stored {
    @Option(
        names = "--run",
        paramLabel = "ID",
        description = "Draw this run of the database, with the states of its steps.")
    private @Nullable String run;

    @Option(
        names = "--workflow",
        paramLabel = "NAME",
        description = "Draw the graph of this workflow that the database stored last.")
    private @Nullable String workflow;
  }

  @ArgGroup private @Nullable Stored stored;

  @Option(names = "--mermaid", description = "Print the text of a Mermaid flowchart.")
  private boolean mermaid;

  @Override
  public Integer call() throws Exception {
    if ((path == null) == (stored == null)) {
      throw new ParameterException(
          spec.commandLine(), "Give a class path, or --run or --workflow for a database.");
    }
    return path != null ? ofClassPath(path) : ofDatabase(stored);
  }

  private int ofClassPath(String given) throws IOException {
    WorkflowReport report = CheckCommand.report(List.of(given), spec);
    Map<String, Graph> graphs = report.graphs();
    if (name != null) {
      Graph graph = graphs.get(name);
      return graph == null ? notDrawn(report, name) : draw(Picture.of(graph));
    }
    if (mermaid && graphs.size() > 1) {
      throw new HoldfastException(
          "A Mermaid flowchart shows one workflow, and there are %d: name one of %s."
              .formatted(graphs.size(), String.join(", ", graphs.keySet())));
    }
    boolean first = true;
    for (Graph graph : graphs.values()) {
      if (!first) {
        spec.commandLine().getOut().println();
      }
      draw(Picture.of(graph));
      first = false;
    }
    return report(report, Optional.empty()) ? 1 : 0;
  }

  /** Prints the errors of a workflow, or of all; returns whether there are any. */
  private boolean report(WorkflowReport report, Optional<String> workflow) {
    PrintWriter err = spec.commandLine().getErr();
    List<Finding> errors =
        report.findings().stream()
            .filter(finding -> finding.severity() == Finding.Severity.ERROR)
            .filter(finding ->
                workflow.map(only -> finding.subject().equals("workflow " + only)).orElse(true))
            .toList();
    errors.forEach(finding -> CheckCommand.print(finding, err));
    return !errors.isEmpty();
  }

  private int notDrawn(WorkflowReport report, String workflow) {
    if (!report(report, Optional.of(workflow))) {
      throw new HoldfastException(
          Closest.to(workflow, report.graphs().keySet())
              .map(meant ->
                  "There is no workflow '%s' on the class path. Did you mean '%s'?"
                      .formatted(workflow, meant))
              .orElse(
                  "There is no workflow '%s' on the class path; there are: %s."
                      .formatted(workflow, String.join(", ", report.graphs().keySet()))));
    }
    return 1;
  }

  private int ofDatabase(@Nullable Stored wanted) throws Exception {
    RunId run = wanted == null || wanted.run == null ? null : runId(wanted.run);
    String workflow = wanted == null ? null : wanted.workflow;
    try (OpenStore open = database.open();
        HoldfastClient client = HoldfastClient.on(open.store())) {
      if (run != null) {
        Run found = client.runs().find(run).orElseThrow(() -> new UnknownRunException(run));
        return draw(
            Picture.of(client.workflows().stored(found.definition()), found, Instant.now()));
      }
      String named = String.valueOf(workflow);
      Map<String, Graph> versions = client.workflows().versions(named);
      if (versions.isEmpty()) {
        throw new UnknownWorkflowException(named, client.workflows().names());
      }
      return draw(Picture.of(versions.values().iterator().next()));
    }
  }

  private RunId runId(String text) {
    try {
      return RunId.parse(text);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
  }

  private int draw(Picture picture) {
    PrintWriter out = spec.commandLine().getOut();
    (mermaid ? Mermaid.lines(picture) : TextGraph.lines(picture, false)).forEach(out::println);
    out.flush();
    return 0;
  }
}
