package dev.holdfast.engine.store;

import dev.holdfast.api.NodeMode;
import java.util.Map;

/**
 * The mode of a node and its overrides.
 *
 * @param node the mode of the node
 * @param overrides modes of tasks, by task name pattern
 */
public record Modes(NodeMode node, Map<String, NodeMode> overrides) {

  /** The node does everything. */
  public static final Modes FULL = new Modes(NodeMode.FULL, Map.of());

  public Modes {
    overrides = Map.copyOf(overrides);
  }
}
