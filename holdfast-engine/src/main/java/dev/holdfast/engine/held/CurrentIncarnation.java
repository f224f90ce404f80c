package dev.holdfast.engine.held;

import java.util.UUID;

/**
 * The identity of a node: its id, and the incarnation that its claims belong to. An incarnation
 * lasts from one registration of the node to the next.
 */
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

  /** Returns the tenure of the current incarnation, or of the last one. */
  public Tenure tenure() {
    return tenure;
  }

  public UUID incarnation() {
    return tenure.incarnation();
  }

  /**
   * Switches to a new incarnation: jobs of the old one are no longer held by this node. After
   * {@link #retire}, the tenure of the new incarnation ends immediately.
   */
  public synchronized void become(Tenure next) {
    if (retired) {
      next.end();
    }
    tenure = next;
  }

  /**
   * Prevents further incarnations.
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
