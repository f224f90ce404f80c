package dev.holdfast.engine.store;

import dev.holdfast.api.NodeMode;
import java.util.Map;

/**
 * What a node does with work, in general and by exception.
 *
 * @param node its mode
 * @param overrides modes for tasks, by the pattern of their names
 */
public record Modes(NodeMode node, Map<String, NodeMode> overrides) {

  /** Everything is done. */
  public static final Modes FULL = new Modes(NodeMode.FULL, Map.of());

  public Modes {
    overrides = Map.copyOf(overrides);
  }
}
