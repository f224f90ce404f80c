package dev.holdfast.engine.intake;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.store.NewJob.Stamp;
import org.jspecify.annotations.Nullable;

/** Says what jobs are stamped with that are made here. */
@FunctionalInterface
public interface JobOrigin {
  /** For clients without a node. */
  JobOrigin NONE = task -> Stamp.NONE;

  /**
   * The stamp of a job of this task.
   *
   * @throws HoldfastException if no such jobs are made here
   */
  Stamp of(String task);

  /**
   * Jobs made on a node belong to its fleet, and name the node where it leaves them to others. A
   * node that is disabled makes none.
   */
  static JobOrigin onNode(String node, @Nullable String stack, CurrentModes modes) {
    Stamp own = stack == null ? Stamp.NONE : new Stamp(stack, null);
    Stamp deferred = new Stamp(stack, node);
    return task ->
        switch (modes.of(task)) {
          case FULL -> own;
          case TRIGGER_ONLY -> deferred;
          case DISABLED ->
              throw new HoldfastException(
                  "Node %s is disabled and accepts no jobs of task '%s': ask a client without a node, or switch it to trigger-only or full."
                      .formatted(node, task));
        };
  }

  /** What nodes of a fleet declare belongs to that fleet, whatever they do at the time. */
  static JobOrigin declared(@Nullable String stack) {
    Stamp stamp = stack == null ? Stamp.NONE : new Stamp(stack, null);
    return task -> stamp;
  }
}
