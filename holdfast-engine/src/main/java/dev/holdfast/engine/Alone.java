package dev.holdfast.engine;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a node that means to be the only one is, by one exclusive lease; and that no
 * other node joins while it holds that lease.
 */
final class Alone {
  private static final Logger log = LoggerFactory.getLogger(Alone.class);
  private static final String KEY = "holdfast:single-node";

  private final NodeBook nodes;
  private final Leases leases;
  private final NodeSettings settings;
  private @Nullable Lease lease;

  Alone(NodeBook nodes, Leases leases, NodeSettings settings) {
    this.nodes = nodes;
    this.leases = leases;
    this.settings = settings;
  }

  /**
   * Join, alone or with others, as the settings say.
   *
   * @param onLost told when a node that was alone may not be any more
   * @throws HoldfastException if others are in the way; nothing was changed
   */
  void join(Runnable onLost) {
    if (settings.liveness().singleNode()) {
      takeAll(onLost);
    } else {
      requireNobodyAlone();
    }
  }

  private void requireNobodyAlone() {
    leases
        .find(KEY)
        .filter(info -> info.isHeld())
        .ifPresent(info -> {
          throw new HoldfastException(
              "Node %s has this database for itself, and node %s would be a second one: stop it, or run both without singleNode."
                  .formatted(info.holder(), settings.id()));
        });
  }

  private void takeAll(Runnable onLost) {
    Duration ttl = settings.liveness().terms().running();
    Acquisition answer = leases.acquire(KEY, ttl);
    if (answer instanceof Acquisition.Busy busy) {
      throw new HoldfastException(
          "Node %s has this database for itself for another %s, and node %s cannot have it too: stop it, wait that long if it was killed, or run both without singleNode."
              .formatted(busy.holder(), busy.remaining(), settings.id()));
    }
    Lease held = answer.orElseBusy();
    List<NodeStatus> others = nodes.list().stream().filter(NodeStatus::alive).toList();
    for (NodeStatus other : others) {
      if (other.silence().compareTo(other.card().terms().running()) < 0
          && !other.card().roles().contains(Assembly.ALONE)) {
        held.close();
        throw new HoldfastException(
            "Node %s lives, so node %s cannot have this database for itself: stop it, or start without singleNode."
                .formatted(other.card().id(), settings.id()));
      }
    }
    // Whoever was alone before has lost the lease, so what it holds is nobody's.
    others.forEach(
        other -> nodes.markDead(other.card().incarnation(), other.beat(), other.silence()));
    held.onLost(() -> {
      log.error("Node {} has lost its lease on this database and stops", settings.id());
      onLost.run();
    });
    lease = held;
  }

  /** Let others in. */
  void leave() {
    if (lease != null) {
      lease.close();
    }
  }
}
