package dev.holdfast.server.node;

import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The nodes of all servers. */
public final class ServerNodes implements NodeDirectory {
  private final ControlNodes processes;
  private final Holds holds;
  private final Database database;

  public ServerNodes(ControlNodes processes, Holds holds, Database database) {
    this.processes = processes;
    this.holds = holds;
    this.database = database;
  }

  @Override
  public List<NodeSnapshot> list() {
    return processes.list();
  }

  @Override
  public List<Integer> tenants(UUID incarnation) {
    return holds.of(database, incarnation).stream().map(Holds.Left::tenant).toList();
  }

  @Override
  public boolean change(UUID incarnation, UnaryOperator<Modes> change) {
    return WrittenModes.change(processes, incarnation, change).isPresent();
  }
}
