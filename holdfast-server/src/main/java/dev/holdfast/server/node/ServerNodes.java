package dev.holdfast.server.node;

import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The nodes of all servers, for operators. */
public final class ServerNodes {
  private final ControlNodes processes;
  private final Holds holds;
  private final Database database;

  public ServerNodes(ControlNodes processes, Holds holds, Database database) {
    this.processes = processes;
    this.holds = holds;
    this.database = database;
  }

  /** Lists the nodes that are alive or died recently. */
  public List<NodeSnapshot> list() {
    return processes.list();
  }

  /** Returns the numbers of the tenants in which a node is registered. */
  public List<Integer> tenants(UUID incarnation) {
    return holds.of(database, incarnation).stream().map(Holds.Left::tenant).toList();
  }

  /**
   * Changes the modes in which a live node works in tenants from now on.
   *
   * @return whether the node is alive
   */
  public boolean change(UUID incarnation, UnaryOperator<Modes> change) {
    return WrittenModes.change(processes, incarnation, change).isPresent();
  }
}
