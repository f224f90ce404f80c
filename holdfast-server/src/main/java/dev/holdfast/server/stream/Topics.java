package dev.holdfast.server.stream;

import dev.holdfast.api.workflow.RunId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a client watches.
 *
 * @param runs the runs, and after which event of each to continue
 */
public record Topics(Map<RunId, Long> runs, boolean jobs, boolean nodes) {
  /** The name of the topic that has snapshots of nodes. */
  static final String NODES = "nodes";

  private static final int MOST_RUNS = 20;

  static Topics onlyNodes() {
    return new Topics(Map.of(), false, true);
  }

  /**
   * Parses topics: {@code run:ID}, {@code jobs} and {@code nodes}.
   *
   * @param lastEvent the id of the last event that the client has seen; null for none
   * @throws IllegalArgumentException if there are none, too many, or one is not known
   */
  public static Topics parse(List<String> names, @Nullable String lastEvent) {
    Map<RunId, Long> seen = positions(lastEvent);
    Map<RunId, Long> runs = new LinkedHashMap<>();
    boolean jobs = false;
    boolean nodes = false;
    for (String name : names) {
      if (name.equals("jobs")) {
        jobs = true;
      } else if (name.equals(NODES)) {
        nodes = true;
      } else if (name.startsWith("run:")) {
        RunId id = new RunId(UUID.fromString(name.substring("run:".length())));
        runs.put(id, seen.getOrDefault(id, 0L));
      } else {
        throw new IllegalArgumentException("unknown topic");
      }
    }
    if (names.isEmpty() || runs.size() > MOST_RUNS) {
      throw new IllegalArgumentException("none, or too many");
    }
    return new Topics(runs, jobs, nodes);
  }

  /** An event id has the positions of all runs of its connection; one that is not ours has none. */
  private static Map<RunId, Long> positions(@Nullable String id) {
    Map<RunId, Long> positions = new LinkedHashMap<>();
    if (id == null || id.isEmpty() || id.length() > 4_000) {
      return positions;
    }
    for (String pair : id.split(",", -1)) {
      int at = pair.indexOf('=');
      try {
        positions.put(
            new RunId(UUID.fromString(pair.substring(0, Math.max(0, at)))),
            Math.max(0, Long.parseLong(pair.substring(at + 1))));
      } catch (IllegalArgumentException foreign) {
        return Map.of();
      }
    }
    return positions;
  }

  /** Returns the id of an event after which the positions are these. */
  static @Nullable String eventId(Map<RunId, Long> positions) {
    return positions.isEmpty()
        ? null
        : positions.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(","));
  }
}
