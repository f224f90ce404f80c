package dev.holdfast.engine;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Nodes;
import dev.holdfast.engine.mode.ModeChange;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.engine.wake.SignalBus;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Steers nodes by their rows. */
final class StoredNodes implements Nodes {
  private final NodeBook nodes;
  private final SignalBus bus;

  StoredNodes(NodeBook nodes, SignalBus bus) {
    this.nodes = nodes;
    this.bus = bus;
  }

  @Override
  public int dismiss(String id) {
    return each(id, status -> nodes.dismiss(status.card().incarnation()));
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
    return each(
        id, status -> nodes.setModes(status.card().incarnation(), change.apply(status.modes())));
  }

  private int each(String id, Predicate<NodeStatus> told) {
    int count = 0;
    for (NodeStatus status : nodes.list()) {
      if (status.alive() && status.card().id().equals(id) && told.test(status)) {
        count++;
        wake(status.card().incarnation());
      }
    }
    return count;
  }

  /** Let it beat at once, and so learn of the change. */
  private void wake(UUID incarnation) {
    bus.publish(new Signal.Called(incarnation));
  }
}
