package dev.holdfast.engine.rule;

import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Changes the stored modes of a node, so that concurrent changes do not undo one another. */
public final class WrittenModes {
  private WrittenModes() {}

  /**
   * Changes the modes of a live incarnation.
   *
   * @param change computes the new modes from those in force; called again if a concurrent change
   *     was stored first
   * @return the new modes; empty if the incarnation is not recorded as alive
   */
  public static Optional<Modes> change(
      NodeStore nodes, UUID incarnation, UnaryOperator<Modes> change) {
    // Terminates: in each failed iteration a concurrent change was stored.
    while (true) {
      Optional<Modes> seen =
          nodes.list().stream()
              .filter(status ->
                  status.alive() && status.registration().incarnation().equals(incarnation))
              .map(NodeSnapshot::modes)
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
