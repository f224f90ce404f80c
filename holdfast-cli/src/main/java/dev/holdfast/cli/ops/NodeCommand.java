package dev.holdfast.cli.ops;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Nodes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Steers a node. */
@Command(
    name = "node",
    description = "Tell a node to start over, or what to do with work.",
    footer = "A node hears of it at its next heartbeat at the latest.")
public final class NodeCommand extends ClientCommand {

  /** What to tell it. */
  enum Action {
    FENCE,
    MODE,
    CLEAR
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description =
          "fence: give up everything and start over; mode: do this with work; clear: make no"
              + " exceptions.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(index = "1", paramLabel = "ID", description = "The node, as 'nodes' shows it.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "MODE",
      description = "For mode: full, trigger-only or disabled.")
  private @Nullable String mode;

  @Option(
      names = "--task",
      paramLabel = "PATTERN",
      description = "For tasks of this pattern only, such as ml::*.")
  private @Nullable String task;

  @Override
  int ask(Session session) {
    Nodes nodes = session.client().nodes();
    int told =
        switch (action) {
          case FENCE -> nodes.fence(id);
          case MODE -> setMode(nodes, NodeMode.parse(mode == null ? "" : mode));
          case CLEAR -> task == null ? nodes.clearModes(id) : nodes.clearMode(id, task);
        };
    return told > 0
        ? session.answer(true, "%d live node(s) called '%s' were told.".formatted(told, id))
        : session.answer(false, "No live node is called '%s'; see 'nodes'.".formatted(id));
  }

  private int setMode(Nodes nodes, NodeMode wanted) {
    return task == null ? nodes.mode(id, wanted) : nodes.mode(id, task, wanted);
  }
}
