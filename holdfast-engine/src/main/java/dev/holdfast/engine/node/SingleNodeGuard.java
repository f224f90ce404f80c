package dev.holdfast.engine.node;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures with an exclusive lease that a node in single-node mode is the only one, and that no
 * other node joins while it holds that lease.
 */
final class SingleNodeGuard {
  private static final Logger log = LoggerFactory.getLogger(SingleNodeGuard.class);
  private static final String KEY = "holdfast:single-node";

  /** The role that a single node registers with. */
  static final String ROLE = "alone";

  private final NodeStore nodes;
  private final HoldfastLeases leases;
  private final NodeSettings settings;
  private volatile @Nullable Lease lease;
  private volatile Consumer<String> onLost = why -> {};
  private volatile boolean unconfirmed;

  /**
   * @param leases those of this guard alone, in the same store as the nodes
   */
  SingleNodeGuard(NodeStore nodes, HoldfastLeases leases, NodeSettings settings) {
    this.nodes = nodes;
    this.leases = leases;
    this.settings = settings;
  }

  /**
   * Joins the cluster, or takes the database exclusively in single-node mode.
   *
   * @param told called with the reason, on a separate thread, when the node must stop
   * @throws HoldfastException if another node is in the way; then {@link #leave} must be called
   */
  void join(Consumer<String> told) {
    onLost = told;
    if (settings.liveness().singleNode()) {
      acquireDatabase();
    } else {
      requireNoSingleNode();
    }
  }

  /**
   * Checks again after the node has been registered: a single node may have acquired the lease, and
   * looked for other nodes, before that.
   *
   * @throws HoldfastException if a single node uses this database
   */
  void confirm() {
    if (!settings.liveness().singleNode()) {
      requireNoSingleNode();
    }
  }

  /**
   * Notes that the node registered again. While it was declared dead, a single node may have taken
   * the database.
   */
  void startedOver() {
    unconfirmed = !settings.liveness().singleNode();
  }

  /**
   * Returns a role that first checks for a single node after this node has registered again. Not
   * for the Heart, which must not wait.
   */
  <R extends Role> Checking<R> checkedBy(R role) {
    return new Checking<>(this, role);
  }

  /** A role that first checks for a single node. */
  record Checking<R extends Role>(SingleNodeGuard guard, R role) implements Role {
    @Override
    public String name() {
      return role.name();
    }

    @Override
    public boolean sharesThread() {
      return role.sharesThread();
    }

    @Override
    public Moment tick(Moment now) {
      guard.settle();
      return role.tick(now);
    }
  }

  private void settle() {
    if (!unconfirmed) {
      return;
    }
    try {
      singleNode()
          .ifPresent(other ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-stop")
                  .start(() ->
                      onLost.accept(
                          "node %s uses this database in single-node mode".formatted(other))));
      unconfirmed = false;
    } catch (StoreException away) {
      log.warn(
          "Checking for a node in single-node mode failed, retrying at the next sweep: {}",
          away.getMessage());
    }
  }

  private void requireNoSingleNode() {
    singleNode()
        .ifPresent(other -> {
          throw new HoldfastException(
              "Node %s uses this database in single-node mode, so node %s cannot join: stop the first one, or run both without singleNode."
                  .formatted(other, settings.id()));
        });
  }

  private Optional<String> singleNode() {
    return leases.find(KEY).filter(LeaseInfo::isHeld).map(LeaseInfo::holder);
  }

  private void acquireDatabase() {
    Duration ttl = settings.liveness().timeouts().running();
    Acquisition result = leases.acquire(KEY, ttl);
    if (result instanceof Acquisition.Busy busy) {
      throw new HoldfastException(
          "Node %s uses this database in single-node mode for another %s, so node %s cannot: stop the first one, wait for that time if it was killed, or run both without singleNode."
              .formatted(busy.holder(), Times.describe(busy.remaining()), settings.id()));
    }
    Lease held = result.orElseThrow();
    lease = held;
    List<NodeSnapshot> others = nodes.list().stream().filter(NodeSnapshot::alive).toList();
    for (NodeSnapshot other : others) {
      if (other.sinceLastHeartbeat().compareTo(other.registration().timeouts().running()) < 0
          && !other.registration().roles().contains(ROLE)) {
        throw new HoldfastException(
            "Node %s is alive, so node %s cannot use this database in single-node mode: stop the first one, or start without singleNode."
                .formatted(other.registration().id(), settings.id()));
      }
    }
    // An earlier single node has lost the lease, so the jobs it held are free.
    others.forEach(other ->
        nodes.markDead(
            other.registration().incarnation(), other.beat(), other.sinceLastHeartbeat()));
    held.onLost(() -> onLost.accept("it has lost its single-node lease"));
  }

  /**
   * Returns whether this was a single node and its lease is over, whichever thread notices first:
   * after a pause that may be the thread of a job.
   */
  boolean isUnseated() {
    Lease held = lease;
    return held != null && !held.isHeld();
  }

  /** Releases the lease, so that other nodes can join. */
  void leave() {
    Lease held = lease;
    lease = null; // Cleared first: a released lease is not a lost one.
    if (held != null) {
      held.close();
    }
  }

  /** Stops to renew the lease. */
  void close() {
    leases.close();
  }
}
