package dev.holdfast.engine.held;

import java.util.UUID;

/** Who this node is: a name for people, and an incarnation that claims belong to. */
public final class CurrentIncarnation {
  private final String nodeId;
  private volatile Tenure tenure;
  private volatile boolean retired;

  public CurrentIncarnation(String nodeId, Tenure first) {
    this.nodeId = nodeId;
    this.tenure = first;
  }

  public String nodeId() {
    return nodeId;
  }

  /** The incarnation in office, or the last one that was. */
  public Tenure tenure() {
    return tenure;
  }

  public UUID incarnation() {
    return tenure.incarnation();
  }

  /**
   * Be somebody new: what the old incarnation held is no longer ours. After retiring, the new one
   * is never in office.
   */
  public synchronized void become(Tenure next) {
    if (retired) {
      next.end();
    }
    tenure = next;
  }

  /**
   * Be nobody new any more.
   *
   * @return the last tenure
   */
  public synchronized Tenure retire() {
    retired = true;
    return tenure;
  }

  public boolean isRetired() {
    return retired;
  }
}
