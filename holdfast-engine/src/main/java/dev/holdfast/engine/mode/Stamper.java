package dev.holdfast.engine.mode;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.NewJob.Stamp;
import org.jspecify.annotations.Nullable;

/** Says what jobs are stamped with that are made here. */
@FunctionalInterface
public interface Stamper {
  /** For clients without a node. */
  Stamper NONE = task -> Stamp.NONE;

  Stamp of(String task);

  /** Jobs made on a node belong to its fleet, and name the node where it leaves them to others. */
  static Stamper onNode(String node, @Nullable String stack, ModeSwitch modes) {
    Stamp own = stack == null ? Stamp.NONE : new Stamp(stack, null);
    Stamp deferred = new Stamp(stack, node);
    return task -> modes.of(task) == NodeMode.FULL ? own : deferred;
  }
}
