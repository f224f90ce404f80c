package dev.holdfast.cli.ops;

import static java.util.stream.Collectors.joining;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists nodes. */
@Command(name = "nodes", description = "List live nodes and nodes that died recently.")
public final class NodesCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    List<NodeInfo> nodes = session.client().nodes().list();
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
                "serves",
                "roles",
                "running",
                "capacity",
                "lost",
                "queues",
                "tasks",
                "version")
            .numbers("running", "capacity", "lost");
    for (NodeInfo node : nodes) {
      table.row(
          node.id(),
          node.name() == null ? "" : node.name(),
          node.alive() ? "yes" : "no",
          node.startedAt().truncatedTo(ChronoUnit.SECONDS),
          DurationText.of(node.sinceLastHeartbeat()),
          modesOf(node),
          node.stack() == null ? "" : node.stack(),
          node.serves().stream().sorted().collect(joining(",")),
          node.roles().stream().sorted().collect(joining(",")),
          node.running(),
          node.capacity(),
          node.lostSlots(),
          node.queues().stream().sorted().collect(joining(",")),
          node.tasks().size(),
          node.version());
    }
    table.print(session.out());
    return DONE;
  }

  private static String modesOf(NodeInfo node) {
    StringBuilder text = new StringBuilder(node.mode().toString());
    new TreeMap<>(node.modeOverrides())
        .forEach((pattern, mode) -> text.append(", ").append(pattern).append(' ').append(mode));
    return text.toString();
  }
}
