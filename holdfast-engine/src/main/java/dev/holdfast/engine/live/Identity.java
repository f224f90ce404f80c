package dev.holdfast.engine.live;

import java.util.UUID;
import java.util.function.Supplier;

/** Who this node is: a name for people, and an incarnation that claims belong to. */
public final class Identity {
  private final String nodeId;
  private final Supplier<UUID> ids;
  private volatile UUID incarnation;

  public Identity(String nodeId, Supplier<UUID> ids) {
    this.nodeId = nodeId;
    this.ids = ids;
    this.incarnation = ids.get();
  }

  public String nodeId() {
    return nodeId;
  }

  public UUID incarnation() {
    return incarnation;
  }

  /** Be somebody new: what the old incarnation held is no longer ours. */
  void renew() {
    incarnation = ids.get();
  }
}
