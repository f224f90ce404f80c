package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.NodeBook.NodeCard;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import java.time.Duration;
import java.time.Instant;

/** The row of a node. */
final class NodeRow {
  NodeCard card;
  boolean alive = true;
  long beat;
  int running;

  /** When it was last heard of; for a dead one, when it died. */
  Instant lastSeen;

  NodeRow(NodeCard card, Instant now) {
    this.card = card;
    this.lastSeen = now;
  }

  boolean serves(String queue) {
    return alive && card.queues().contains(queue);
  }

  boolean serves(String queue, String task) {
    return serves(queue) && card.tasks().contains(task);
  }

  NodeStatus toStatus(Instant now) {
    return new NodeStatus(card, alive, beat, Duration.between(lastSeen, now), running);
  }
}
