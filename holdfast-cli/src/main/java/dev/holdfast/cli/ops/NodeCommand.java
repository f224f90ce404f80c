package dev.holdfast.cli.ops;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Nodes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fences a node, declares it dead, or changes its mode. */
@Command(
    name = "node",
    description = "Fence a node, declare it dead, or change its mode.",
    footer = "The node applies the change at its next heartbeat at the latest.")
public final class NodeCommand extends ClientCommand {

  /** The possible actions. */
  enum Action {
    FENCE,
    RECOVER,
    MODE,
    CLEAR
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description =
          "fence: make the node give up everything it has claimed and rejoin as a new incarnation;"
              + " recover: declare dead a node that is certainly gone, and recover its jobs now"
              + " instead of after its timeout; mode: set its mode; clear: remove its mode"
              + " overrides.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(
      index = "1",
      paramLabel = "ID",
      description = "The id of the node, as listed by 'nodes'.")
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
      description = "Set or clear the mode override for this task pattern only, such as ml::*.")
  private @Nullable String task;

  @Override
  protected int ask(Session session) {
    Nodes nodes = session.client().nodes();
    int told =
        switch (action) {
          case FENCE -> nodes.fence(id);
          case RECOVER -> nodes.recover(id);
          case MODE -> setMode(nodes, NodeMode.parse(mode == null ? "" : mode));
          case CLEAR -> task == null ? nodes.clearModes(id) : nodes.clearMode(id, task);
        };
    return told > 0
        ? session.report(true, done().formatted(told, id))
        : session.report(false, "There is no live node with id '%s'; see 'nodes'.".formatted(id));
  }

  private String done() {
    return action == Action.RECOVER
        ? "%d node(s) with id '%s' were declared dead; live nodes recover their jobs now."
        : "%d live node(s) with id '%s' were notified.";
  }

  private int setMode(Nodes nodes, NodeMode wanted) {
    return task == null ? nodes.mode(id, wanted) : nodes.mode(id, task, wanted);
  }
}
