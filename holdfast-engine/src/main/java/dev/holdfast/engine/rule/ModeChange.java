package dev.holdfast.engine.rule;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.Modes;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Changes of modes, as functions. */
public final class ModeChange {
  private ModeChange() {}

  public static UnaryOperator<Modes> node(NodeMode mode) {
    return modes -> new Modes(mode, modes.overrides());
  }

  public static UnaryOperator<Modes> except(String pattern, NodeMode mode) {
    TaskPattern.of(pattern);
    return modes -> {
      Map<String, NodeMode> exceptions = new TreeMap<>(modes.overrides());
      exceptions.put(pattern, mode);
      return new Modes(modes.node(), exceptions);
    };
  }

  public static UnaryOperator<Modes> clear(String pattern) {
    return modes -> {
      Map<String, NodeMode> exceptions = new TreeMap<>(modes.overrides());
      exceptions.remove(pattern);
      return new Modes(modes.node(), exceptions);
    };
  }

  public static UnaryOperator<Modes> clearAll() {
    return modes -> new Modes(modes.node(), Map.of());
  }
}
