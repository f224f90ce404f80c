package dev.holdfast.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a node does with work. */
public enum NodeMode {
  /** It accepts work and runs it. */
  FULL,
  /** It accepts, schedules, triggers and recovers work, and runs none: others do. */
  TRIGGER_ONLY,
  /**
   * It only says that it lives: it runs nothing, fires no schedules, takes nothing back, declares
   * neither schedules nor triggers, and its own client is refused new work. What it runs already
   * goes on to its end. For tasks of a pattern: it neither runs nor accepts their jobs.
   */
  DISABLED;

  /** Read a mode as people write it: {@code full}, {@code trigger-only}, {@code disabled}. */
  public static NodeMode parse(String text) {
    String name = text.strip().replace('-', '_').toUpperCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(mode -> mode.name().equals(name))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "Mode '%s' does not exist: give one of %s."
                    .formatted(
                        text,
                        Arrays.stream(values())
                            .map(NodeMode::toString)
                            .collect(Collectors.joining(", ")))));
  }

  /** As people write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
