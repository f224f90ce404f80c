package dev.holdfast.server.node;

import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The nodes of an installation, for operators. */
public interface NodeDirectory {

  /** Lists the nodes that are alive or died recently. */
  List<NodeSnapshot> list();

  /** Returns the numbers of the tenants in which a node is registered. */
  List<Integer> tenants(UUID incarnation);

  /**
   * Changes the modes in which a live node works in tenants from now on.
   *
   * @return whether the node is alive
   */
  boolean change(UUID incarnation, UnaryOperator<Modes> change);
}
