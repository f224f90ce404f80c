package dev.holdfast.engine.client;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Nodes;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.rule.ModeChange;
import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Manages nodes through their rows in the store. */
final class StoredNodes implements Nodes {
  private static final int MAX_HEARTBEATS = 10_000;

  private final NodeStore nodes;
  private final SignalBus bus;

  StoredNodes(NodeStore nodes, SignalBus bus) {
    this.nodes = nodes;
    this.bus = bus;
  }

  @Override
  public List<NodeInfo> list() {
    return List.copyOf(nodes.list());
  }

  @Override
  public Optional<NodeInfo> find(String id) {
    return list().stream()
        .filter(node -> node.id().equals(id))
        .max(Comparator.comparing(NodeInfo::alive).thenComparing(NodeInfo::startedAt));
  }

  @Override
  public List<NodeInfo.Heartbeat> heartbeats(String id, int limit) {
    if (limit < 1 || limit > MAX_HEARTBEATS) {
      throw new IllegalArgumentException(
          "A page of %d heartbeats is not valid: request 1 to %d."
              .formatted(limit, MAX_HEARTBEATS));
    }
    return List.copyOf(nodes.pastBeats(id, limit));
  }

  @Override
  public int fence(String id) {
    return each(id, status -> nodes.requestFence(status.incarnation()));
  }

  @Override
  public int recover(String id) {
    List<NodeSnapshot> named = nodes.list().stream().filter(node -> node.id().equals(id)).toList();
    int declared = 0;
    for (NodeSnapshot node : named) {
      UUID incarnation = node.incarnation();
      if (node.alive() && nodes.markDead(incarnation, node.beat(), node.sinceLastHeartbeat())) {
        declared++;
        wake(incarnation); // If it is alive after all, it learns now that it must stop.
      }
    }
    if (!named.isEmpty()) {
      bus.publish(new Signal.NodeDied());
      bus.publish(new Signal.SchedulesChanged()); // Its schedules may be undeclared now.
    }
    return declared;
  }

  @Override
  public int mode(String id, NodeMode mode) {
    return change(id, ModeChange.node(mode));
  }

  @Override
  public int mode(String id, String pattern, NodeMode mode) {
    return change(id, ModeChange.except(pattern, mode));
  }

  @Override
  public int clearMode(String id, String pattern) {
    return change(id, ModeChange.clear(pattern));
  }

  @Override
  public int clearModes(String id) {
    return change(id, ModeChange.clearAll());
  }

  private int change(String id, UnaryOperator<Modes> change) {
    return each(id, status -> WrittenModes.change(nodes, status.incarnation(), change).isPresent());
  }

  private int each(String id, Predicate<NodeSnapshot> change) {
    int count = 0;
    for (NodeSnapshot status : nodes.list()) {
      if (status.alive() && status.id().equals(id) && change.test(status)) {
        count++;
        wake(status.incarnation());
      }
    }
    return count;
  }

  /** Makes the node send a heartbeat immediately, whose reply contains the change. */
  private void wake(UUID incarnation) {
    bus.publish(new Signal.HeartbeatRequested(incarnation));
  }
}
