package dev.holdfast.engine.rule;

import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.NodeStatus;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Changes modes where they are written down, so that of several who do so none undoes another. */
public final class WrittenModes {
  private WrittenModes() {}

  /**
   * Change the modes of a live incarnation.
   *
   * @param change what is to become of those that are in force; asked again if somebody else was
   *     faster
   * @return the new ones; empty if it is not alive in the books
   */
  public static Optional<Modes> change(
      NodeStore nodes, UUID incarnation, UnaryOperator<Modes> change) {
    // Ends: each time round somebody else's change was written.
    while (true) {
      Optional<Modes> seen =
          nodes.list().stream()
              .filter(status ->
                  status.alive() && status.registration().incarnation().equals(incarnation))
              .map(NodeStatus::modes)
              .findAny();
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      Modes wanted = change.apply(seen.get());
      if (nodes.setModes(incarnation, seen.get(), wanted)) {
        return Optional.of(wanted);
      }
    }
  }
}
