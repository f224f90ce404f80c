package dev.holdfast.server.node;

import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.server.tenant.OpenTenant;
import org.jspecify.annotations.Nullable;

/** A tenant in which this server currently works. */
final class ActiveTenant {
  private enum State {
    STARTING,
    RUNNING,
    STOPPING
  }

  private final OpenTenant tenant;
  private final FairSlots.Share share;
  private volatile @Nullable HoldfastNode node;
  private State state = State.STARTING;
  private long lastWork;

  ActiveTenant(OpenTenant tenant, FairSlots.Share share, long now) {
    this.tenant = tenant;
    this.share = share;
    this.lastWork = now;
  }

  OpenTenant tenant() {
    return tenant;
  }

  FairSlots.Share share() {
    return share;
  }

  @Nullable HoldfastNode node() {
    return node;
  }

  synchronized void started(HoldfastNode running, long now) {
    node = running;
    state = State.RUNNING;
    lastWork = now;
  }

  /**
   * Records that there is, or will be, work.
   *
   * @return whether the node stays for a while and finds it; false if it is about to stop
   */
  synchronized boolean touch(long now) {
    lastWork = now;
    return state == State.RUNNING;
  }

  /** Records the time if the tenant has work. */
  synchronized void review(long now) {
    HoldfastNode running = node;
    if (running != null && !running.isIdle()) {
      lastWork = now;
    }
  }

  /** Returns how long there has been no work, in nanoseconds. */
  synchronized long idle(long now) {
    return now - lastWork;
  }

  /**
   * Decides to stop. From now on, no change may rely on this node.
   *
   * @return false if it is starting or stopping
   */
  synchronized boolean stopIfIdleFor(long nanos, long now) {
    if (state != State.RUNNING || now - lastWork < nanos) {
      return false;
    }
    state = State.STOPPING;
    return true;
  }

  /** Continues after all. */
  synchronized void stay(long now) {
    state = State.RUNNING;
    lastWork = now;
  }
}
