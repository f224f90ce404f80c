package dev.holdfast.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Which work a node accepts and runs. */
public enum NodeMode {
  /** The node accepts and runs jobs. */
  FULL,
  /** The node enqueues, schedules, triggers and recovers jobs, but other nodes run them. */
  TRIGGER_ONLY,
  /**
   * The node only sends heartbeats: it runs no jobs, fires no schedules, recovers no jobs, declares
   * neither schedules nor triggers, and its own client refuses new jobs. Jobs that it already runs
   * continue. As an override for a task pattern: the node neither runs nor accepts jobs of these
   * tasks.
   */
  DISABLED;

  /**
   * Parses a mode: {@code full}, {@code trigger-only} or {@code disabled}.
   *
   * @throws IllegalArgumentException if there is no such mode
   */
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

  /** Returns the mode in the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
