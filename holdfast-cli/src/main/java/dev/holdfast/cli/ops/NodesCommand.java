package dev.holdfast.cli.ops;

import static java.util.stream.Collectors.joining;

import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
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
        Table.of(
                "node",
                "name",
                "alive",
                "started",
                "silent",
                "mode",
                "stack",
                "roles",
                "running",
                "capacity",
                "queues",
                "tasks",
                "version")
            .numbers("running", "capacity");
    for (NodeStatus node : nodes) {
      table.row(
          node.card().id(),
          node.card().name() == null ? "" : node.card().name(),
          node.alive() ? "yes" : "no",
          node.startedAt().truncatedTo(ChronoUnit.SECONDS),
          Ages.of(node.silence()),
          modesOf(node),
          node.card().stack() == null ? "" : node.card().stack(),
          node.card().roles().stream().sorted().collect(joining(",")),
          node.running(),
          node.card().capacity(),
          String.join(",", node.card().queues()),
          node.card().tasks().size(),
          node.card().version());
    }
    table.print(session.out());
    return DONE;
  }

  private static String modesOf(NodeStatus node) {
    StringBuilder text = new StringBuilder(node.modes().node().toString());
    new TreeMap<>(node.modes().exceptions())
        .forEach((pattern, mode) -> text.append(", ").append(pattern).append(' ').append(mode));
    return text.toString();
  }
}
