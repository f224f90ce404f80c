package dev.holdfast.engine.node;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.NodeStatus;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a node that means to be the only one is, by one exclusive lease; and that no
 * other node joins while it holds that lease.
 */
final class SingleNodeGuard {
  private static final Logger log = LoggerFactory.getLogger(SingleNodeGuard.class);
  private static final String KEY = "holdfast:single-node";

  /** What a node that is alone says of itself. */
  static final String ROLE = "alone";

  private final NodeStore nodes;
  private final Leases leases;
  private final NodeSettings settings;
  private volatile @Nullable Lease lease;
  private volatile Consumer<String> onLost = why -> {};
  private volatile boolean unconfirmed;

  SingleNodeGuard(NodeStore nodes, Leases leases, NodeSettings settings) {
    this.nodes = nodes;
    this.leases = leases;
    this.settings = settings;
  }

  /**
   * Join, alone or with others, as the settings say.
   *
   * @param told hears why when the node has no place here any more, on a thread of its own
   * @throws HoldfastException if others are in the way; then {@link #leave} is to be called
   */
  void join(Consumer<String> told) {
    onLost = told;
    if (settings.liveness().singleNode()) {
      takeAll();
    } else {
      requireNobodyAlone();
    }
  }

  /**
   * Check again, now that the node is in the books: one that took the lease before may have looked
   * for others before that.
   *
   * @throws HoldfastException if a node has this database for itself
   */
  void confirm() {
    if (!settings.liveness().singleNode()) {
      requireNobodyAlone();
    }
  }

  /** While the node was dead in the books, another may have taken the database for itself. */
  void startedOver() {
    unconfirmed = !settings.liveness().singleNode();
  }

  /** A role that checks first, once the node has started over. Not the Heart: it may not wait. */
  Role checkedBy(Role role) {
    return new Role() {
      @Override
      public String name() {
        return role.name();
      }

      @Override
      public Moment tick(Moment now) {
        settle();
        return role.tick(now);
      }
    };
  }

  private void settle() {
    if (!unconfirmed) {
      return;
    }
    try {
      loner()
          .ifPresent(loner ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-stop")
                  .start(() ->
                      onLost.accept("node %s has this database for itself".formatted(loner))));
      unconfirmed = false;
    } catch (StoreException away) {
      log.warn(
          "Whether a node has this database for itself is asked again at the next sweep: {}",
          away.getMessage());
    }
  }

  private void requireNobodyAlone() {
    loner()
        .ifPresent(loner -> {
          throw new HoldfastException(
              "Node %s has this database for itself, and node %s would be a second one: stop it, or run both without singleNode."
                  .formatted(loner, settings.id()));
        });
  }

  private Optional<String> loner() {
    return leases.find(KEY).filter(LeaseInfo::isHeld).map(LeaseInfo::holder);
  }

  private void takeAll() {
    Duration ttl = settings.liveness().timeouts().running();
    Acquisition answer = leases.acquire(KEY, ttl);
    if (answer instanceof Acquisition.Busy busy) {
      throw new HoldfastException(
          "Node %s has this database for itself for another %s, and node %s cannot have it too: stop it, wait that long if it was killed, or run both without singleNode."
              .formatted(busy.holder(), busy.remaining(), settings.id()));
    }
    Lease held = answer.orElseThrow();
    lease = held;
    List<NodeStatus> others = nodes.list().stream().filter(NodeStatus::alive).toList();
    for (NodeStatus other : others) {
      if (other.sinceLastHeartbeat().compareTo(other.registration().timeouts().running()) < 0
          && !other.registration().roles().contains(ROLE)) {
        throw new HoldfastException(
            "Node %s lives, so node %s cannot have this database for itself: stop it, or start without singleNode."
                .formatted(other.registration().id(), settings.id()));
      }
    }
    // Whoever was alone before has lost the lease, so what it holds is nobody's.
    others.forEach(other ->
        nodes.markDead(
            other.registration().incarnation(), other.beat(), other.sinceLastHeartbeat()));
    held.onLost(() -> onLost.accept("its lease on this database is lost"));
  }

  /**
   * Whether the node was alone and its lease is over, whoever has noticed that: after a pause the
   * threads of jobs may be the first to wake.
   */
  boolean isUnseated() {
    Lease held = lease;
    return held != null && !held.isHeld();
  }

  /** Let others in. */
  void leave() {
    Lease held = lease;
    lease = null; // Given up is not lost.
    if (held != null) {
      held.close();
    }
  }
}
