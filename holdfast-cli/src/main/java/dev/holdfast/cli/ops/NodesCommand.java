package dev.holdfast.cli.ops;

import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists nodes. */
@Command(name = "nodes", description = "List the nodes that live, or died lately.")
public final class NodesCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  int ask(Session session) {
    List<NodeStatus> nodes = session.store().nodes().list();
    if (json) {
      Json.print(nodes, session.out());
      return DONE;
    }
    Table table =
        Table.of("node", "alive", "silent", "running", "capacity", "queues", "tasks", "version")
            .numbers("running", "capacity");
    for (NodeStatus node : nodes) {
      table.row(
          node.card().id(),
          node.alive() ? "yes" : "no",
          Ages.of(node.silence()),
          node.running(),
          node.card().capacity(),
          String.join(",", node.card().queues()),
          node.card().tasks().size(),
          node.card().version());
    }
    table.print(session.out());
    return DONE;
  }
}
