package dev.holdfast.cli.workflow;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.graph.Mermaid;
import dev.holdfast.cli.graph.Picture;
import dev.holdfast.cli.graph.PictureJson;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import dev.holdfast.cli.run.RunJson;
import dev.holdfast.engine.workflow.Graph;
import dev.holdfast.packages.scan.Finding;
import dev.holdfast.packages.scan.WorkflowReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Collection;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Draws workflows and runs. */
@Command(
    name = "graph",
    description = {
      "Draw the workflows of a class path, or a workflow or a run of a server or database.",
      "As text, as a Mermaid flowchart, or as JSON."
    })
public final class GraphCommand implements Callable<Integer> {
  private static final int MOST_NAMES = 500;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final Target target = new Target();

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

  /** What to draw of a server or database. */
  static final class Stored {
    @Option(
        names = "--run",
        paramLabel = "ID",
        description = "Draw this run, with the states of its steps.")
    private @Nullable String run;

    @Option(
        names = "--workflow",
        paramLabel = "NAME",
        description = "Draw the graph of this workflow that was stored last.")
    private @Nullable String workflow;
  }

  @ArgGroup private @Nullable Stored stored;

  @Option(names = "--mermaid", description = "Print the text of a Mermaid flowchart.")
  private boolean mermaid;

  @Override
  public Integer call() throws Exception {
    if ((path == null) == (stored == null)) {
      throw new ParameterException(
          spec.commandLine(), "Give a class path, or --run or --workflow of a server or database.");
    }
    if (mermaid && target.json()) {
      throw new ParameterException(
          spec.commandLine(), "Give --mermaid or --output json, not both.");
    }
    return path != null ? ofClassPath(path) : ofStored(stored);
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
    if (target.json()) {
      ObjectNode all = Json.object();
      ArrayNode workflows = all.putArray("workflows");
      graphs.values().forEach(graph -> workflows.add(PictureJson.of(Picture.of(graph))));
      Json.print(all, spec.commandLine().getOut());
    } else {
      drawAll(graphs.values());
    }
    return report(report, Optional.empty()) ? 1 : 0;
  }

  private void drawAll(Collection<Graph> graphs) {
    boolean first = true;
    for (Graph graph : graphs) {
      if (!first) {
        spec.commandLine().getOut().println();
      }
      draw(Picture.of(graph));
      first = false;
    }
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

  private int ofStored(@Nullable Stored wanted) {
    String run = wanted == null || wanted.run == null ? null : runId(wanted.run).toString();
    String workflow = wanted == null ? null : wanted.workflow;
    return target.run(session -> {
      if (run != null) {
        JsonNode found = session.get(session.path("runs", run));
        return draw(RunJson.picture(session, found, Instant.now()));
      }
      return draw(Picture.of(graph(session, String.valueOf(workflow))));
    });
  }

  /** Returns the latest version of a workflow; if it does not exist, the error suggests one. */
  private static Graph graph(Session session, String workflow) {
    try {
      return RunJson.graph(session, workflow, null);
    } catch (ApiException missing) {
      throw missing.suggesting(
          workflow,
          () ->
              Value.texts(
                  session
                      .get(session.path("workflows") + new Query().add("limit", MOST_NAMES))
                      .get("workflows"),
                  "name"));
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
    if (target.json()) {
      Json.print(PictureJson.of(picture), out);
      return 0;
    }
    (mermaid ? Mermaid.lines(picture) : TextGraph.lines(picture, false)).forEach(out::println);
    out.flush();
    return 0;
  }
}
