package dev.holdfast.cli.workflow;

import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Listing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists registered workflows. */
@Command(
    name = "workflow",
    description = "List the workflows that nodes and clients have registered.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "'holdfast graph --workflow NAME' draws one.")
public final class WorkflowCommand extends Group {

  @Command(
      name = "list",
      description = "List workflows, with the hash of the graph that was stored last.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(session.path("workflows") + paging.to(new Query())),
            "workflows",
            Listing.of("workflows")
                .column("workflow", workflow -> workflow.get("name").asString())
                .column("hash", workflow -> workflow.get("hash").asString())));
  }

  @Command(name = "show", description = "List all stored versions of a workflow, latest first.")
  int show(
      @Mixin Target target,
      @Mixin Paging paging,
      @Parameters(paramLabel = "WORKFLOW", description = "The name of the workflow.")
          String workflow) {
    return target.run(session ->
        session.list(
            session.get(session.path("workflows", workflow) + paging.to(new Query())),
            "versions",
            Listing.of("versions")
                .column("hash", version -> version.get("hash").asString())
                .number(
                    "steps", version -> String.valueOf(version.get("graph").get("steps").size()))));
  }
}
