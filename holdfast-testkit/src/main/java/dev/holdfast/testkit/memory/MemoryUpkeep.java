package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Deletes everything that is past its retention, in one round. */
final class MemoryUpkeep implements Upkeep {
  /** How long dead nodes are kept, so that jobs they claimed late can be found. */
  private static final Duration DEAD_NODES_KEPT = Duration.ofDays(1);

  /** How much longer than history graphs are kept that are not used. */
  private static final Duration UNUSED_FOR = Duration.ofDays(30);

  private static final Duration REPEATS_KEPT = Duration.ofDays(1);

  private final Tables tables;
  private final MemoryScheduleStore schedules;

  MemoryUpkeep(Tables tables, MemoryScheduleStore schedules) {
    this.tables = tables;
    this.schedules = schedules;
  }

  @Override
  public Report tidy(Retention retention) {
    return tables.transaction(now -> {
      Instant endedBefore = now.minus(retention.history());
      Instant failedBefore = now.minus(retention.deadLetter());
      drop(tables.history, row -> isPast(row.endedAt, endedBefore));
      long deadLetters =
          drop(tables.deadLetter, row -> isPast(row.endedAt, failedBefore) && !isOfOpenRun(row));
      long results = dropResults(now);
      tables.nodes.values().stream()
          .filter(node -> !node.alive && holdsAny(node))
          .forEach(node -> node.fromCall = 0);
      drop(tables.nodes, node -> isForgettable(node, now));
      tables.declarations.removeIf(note -> !tables.nodes.containsKey(note.incarnation()));
      tables.heartbeats.removeIf(kept -> isPast(kept.until(), now));
      drop(tables.leases, row -> row.isForgettable(now, endedBefore, failedBefore));
      schedules.forgetEnded(endedBefore);
      tables.runs.forget(endedBefore, now);
      tables.runs.forgetDefinitions(endedBefore.minus(UNUSED_FOR), now);
      tables.keys.forgetOver(now);
      tables.repeats.values().removeIf(at -> isPast(at, now.minus(REPEATS_KEPT)));
      return new Report(0, deadLetters, results, false);
    });
  }

  private long dropResults(Instant now) {
    long dropped = 0;
    for (JobRow row : tables.history.values()) {
      if (row.result != null && isPast(row.resultUntil, now)) {
        row.result = null;
        dropped++;
      }
    }
    return dropped;
  }

  private boolean isOfOpenRun(JobRow row) {
    return row.step != null && tables.runs.open.containsKey(row.step.run());
  }

  private boolean isForgettable(NodeRow node, Instant now) {
    return !node.alive && isPast(node.lastSeen, now.minus(DEAD_NODES_KEPT)) && !holdsAny(node);
  }

  private boolean holdsAny(NodeRow node) {
    return tables.live.values().stream()
        .anyMatch(row -> node.registration.incarnation().equals(row.holder));
  }

  private static <K, V> long drop(Map<K, V> table, Predicate<V> isPastItsTime) {
    long dropped = 0;
    for (Iterator<V> rows = table.values().iterator(); rows.hasNext(); ) {
      if (isPastItsTime.test(rows.next())) {
        rows.remove();
        dropped++;
      }
    }
    return dropped;
  }

  private static boolean isPast(@Nullable Instant time, Instant limit) {
    return time != null && !time.isAfter(limit);
  }
}
