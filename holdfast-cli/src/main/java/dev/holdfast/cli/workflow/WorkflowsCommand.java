package dev.holdfast.cli.workflow;

import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.cli.ops.ClientCommand;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import dev.holdfast.engine.store.Definitions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the workflows of a database. */
@Command(
    name = "workflows",
    description = {
      "List the workflows that nodes and clients have registered, with the hash of their graph.",
      "With a name, list all stored versions of that workflow, the latest first."
    })
public final class WorkflowsCommand extends ClientCommand {

  @Parameters(
      arity = "0..1",
      paramLabel = "WORKFLOW",
      description = "The name of a workflow. Defaults to all of them.")
  private @Nullable String workflow;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** A line of the list. */
  record Version(String workflow, String hash, int versions) {}

  @Override
  protected int ask(Session session) {
    Definitions definitions = session.store().runs().definitions();
    List<Version> lines = new ArrayList<>();
    if (workflow == null) {
      for (String name : definitions.names()) {
        List<Definitions.Stored> versions = definitions.versions(name);
        lines.add(new Version(name, versions.getFirst().hash(), versions.size()));
      }
    } else {
      List<Definitions.Stored> versions = definitions.versions(workflow);
      if (versions.isEmpty()) {
        throw new UnknownWorkflowException(workflow, definitions.names());
      }
      versions.forEach(stored -> lines.add(new Version(workflow, stored.hash(), versions.size())));
    }
    if (json) {
      Json.print(lines, session.out());
      return DONE;
    }
    Table table = Table.of("workflow", "hash", "versions").numbers("versions");
    lines.forEach(line -> table.row(line.workflow(), line.hash(), line.versions()));
    table.print(session.out());
    return DONE;
  }
}
