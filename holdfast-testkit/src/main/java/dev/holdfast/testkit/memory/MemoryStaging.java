package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.Staging;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes due jobs ready, and expires jobs that have not started in time. */
final class MemoryStaging implements Staging {
  private final Tables tables;

  MemoryStaging(Tables tables) {
    this.tables = tables;
  }

  @Override
  public Report stage(int limit) {
    return tables.transaction(now -> {
      List<JobRow> overdue = pick(row -> canExpire(row) && row.isOverdue(now), limit);
      overdue.forEach(row -> tables.end(row, JobState.EXPIRED, now));
      List<JobRow> due = pick(row -> isTimed(row) && row.isDue(now), limit);
      due.forEach(row -> tables.queue(row, now));
      return new Report(
          countByQueue(due),
          overdue.size(),
          overdue.size() == limit || due.size() == limit,
          next(now));
    });
  }

  private static boolean isTimed(JobRow row) {
    return row.state == JobState.SCHEDULED || row.state == JobState.WAITING;
  }

  /** A job on hold cannot start in time, so it expires only after its run was resumed. */
  private static boolean canExpire(JobRow row) {
    return row.state == JobState.SCHEDULED || row.state == JobState.READY;
  }

  private List<JobRow> pick(Predicate<JobRow> which, int limit) {
    return tables.live.values().stream()
        .filter(which)
        .sorted(
            Comparator.comparing((JobRow row) -> row.runAt).thenComparingLong(row -> row.sequence))
        .limit(limit)
        .toList();
  }

  private static Map<String, Integer> countByQueue(List<JobRow> rows) {
    Map<String, Integer> counts = new TreeMap<>();
    rows.forEach(row -> counts.merge(row.queue, 1, Integer::sum));
    return counts;
  }

  private Optional<Duration> next(Instant now) {
    return times(tables)
        .min(Comparator.naturalOrder())
        .map(time -> time.isBefore(now) ? Duration.ZERO : Duration.between(now, time));
  }

  /** Returns when jobs become due or expire. */
  static Stream<Instant> times(Tables tables) {
    return tables.live.values().stream().map(MemoryStaging::nextTime).filter(Objects::nonNull);
  }

  private static @Nullable Instant nextTime(JobRow row) {
    return switch (row.state) {
      case SCHEDULED, WAITING -> row.runAt;
      case READY -> row.startBy;
      default -> null;
    };
  }
}
