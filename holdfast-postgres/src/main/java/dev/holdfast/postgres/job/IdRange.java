package dev.holdfast.postgres.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A range of ids in which to look for jobs or runs that were created in a range of times.
 *
 * <p>No index contains creation times, which would make every job more expensive. Ids contain the
 * time at which they were generated, by the clock of a client, so what was created in a range of
 * times has ids near it. Callers may choose ids that contain no time: nearly all of those are
 * outside of the times at which ids can have been generated, so these are searched as well.
 *
 * @param from the first id; null for no bound
 * @param before the id after the last; null for no bound
 */
public record IdRange(@Nullable UUID from, @Nullable UUID before) {
  /** How far an id may be from the time at which the database stored it. */
  private static final Duration SLACK = Duration.ofHours(1);

  /** No id was generated before Holdfast existed. */
  private static final Instant EARLIEST = Instant.parse("2020-01-01T00:00:00Z");

  /** Contains all ids. */
  public static final IdRange ALL = new IdRange(null, null);

  /**
   * Returns the ranges for what was created in a range of times, the highest ids first.
   *
   * @param after the first time; null for no bound
   * @param before the time after the last; null for no bound
   * @param now the time, by the clock of this process
   */
  public static List<IdRange> of(@Nullable Instant after, @Nullable Instant before, Instant now) {
    if (after == null && before == null) {
      return List.of(ALL);
    }
    Instant latest = now.plus(SLACK);
    UUID first = after == null ? null : lowest(later(after.minus(SLACK), EARLIEST));
    UUID last = before == null ? null : lowest(earlier(before.plus(SLACK), latest));
    UUID untimed = lowest(EARLIEST);
    List<IdRange> ranges = new ArrayList<>();
    if (last != null) {
      ranges.add(new IdRange(lowest(latest), null));
    }
    ranges.add(new IdRange(first, last));
    if (first != null) {
      ranges.add(new IdRange(null, untimed));
    }
    return ranges;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isAfter(other) ? other : one;
  }

  /** Returns the lowest id that can have been generated at a time. */
  private static UUID lowest(Instant time) {
    return new UUID(time.toEpochMilli() << 16, 0);
  }

  /** Returns the part of this range below an id; the range itself for null. */
  public IdRange below(@Nullable UUID id) {
    return id != null && (before == null || compare(id, before) < 0) ? new IdRange(from, id) : this;
  }

  /** Returns whether it contains no id. */
  public boolean isEmpty() {
    return from != null && before != null && compare(from, before) >= 0;
  }

  private static int compare(UUID one, UUID other) {
    int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
  }
}
