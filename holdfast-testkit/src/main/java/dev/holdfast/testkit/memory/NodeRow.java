package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The row of a node. */
final class NodeRow {
  NodeRegistration registration;
  final Instant startedAt;
  Modes modes;
  boolean alive = true;
  boolean fenceRequested;
  @Nullable Death death;
  Duration diedFor = Duration.ZERO;
  long beat;
  int running;
  Lost lost = Lost.NONE;

  /** The oldest claim call that it reported in its last heartbeat. */
  long fromCall;

  /** When its last heartbeat was stored; for a dead node, when it died. */
  Instant lastSeen;

  NodeRow(NodeRegistration registration, Modes modes, Instant now) {
    this.registration = registration;
    this.modes = modes;
    this.startedAt = now;
    this.lastSeen = now;
  }

  boolean serves(String queue) {
    return alive && registration.queues().contains(queue);
  }

  boolean serves(String queue, String task) {
    return serves(queue) && registration.tasks().contains(task);
  }

  NodeSnapshot toStatus(Instant now) {
    return new NodeSnapshot(
        registration,
        alive,
        beat,
        startedAt,
        Duration.between(lastSeen, now),
        running,
        modes,
        lost);
  }

  void die(Death how, Duration silence, Instant now) {
    alive = false;
    death = how;
    diedFor = silence;
    lastSeen = now;
    running = 0;
    lost = Lost.NONE;
  }
}
