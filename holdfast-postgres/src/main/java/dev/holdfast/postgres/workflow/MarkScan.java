package dev.holdfast.postgres.workflow;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decides where looks for marks start. While a transaction anywhere holds an old snapshot, the
 * index entries of deleted marks cannot be removed, and a look from the beginning reads all of
 * them: 1,911 buffers after 2,000 advances, 20,003 after 20,000.
 *
 * <p>A mark has the number of the transaction that wrote it. A look sees what all transactions
 * below the oldest open one have written, so the next look starts there, or at the oldest mark that
 * was found, if that is older: it may not be taken yet. A mark that is committed late is above the
 * start, because its transaction was open.
 *
 * <p>A transaction that stays open, or a run that cannot be advanced, would keep the start where it
 * is. After {@link #PATIENCE} the start passes them. What they leave behind is found by a look from
 * the beginning, once in {@link #WHOLE} or less often, if it takes long. Such a look also finds
 * marks that were written after the numbers have gone back, on a server that has lost its last
 * transactions in a failover.
 */
final class MarkScan {
  /** How long the start waits for open transactions and for marks that are not taken. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How often a look starts at the beginning. */
  static final Duration WHOLE = Duration.ofMinutes(1);

  private static final Duration BETWEEN_LIMITS = Duration.ofSeconds(1);
  private static final int SHARE = 20;

  /** A place in the order of marks: looks find what comes after it. */
  record Place(long written, UUID run) {
    private static final UUID FIRST = new UUID(0, 0);
    static final Place BEGINNING = before(0);

    /** Returns the place before all marks of a transaction. */
    static Place before(long written) {
      return new Place(written, FIRST);
    }
  }

  /** Transactions with a lower number had started at this time. */
  private record Limit(long below, long nanos) {}

  private final Deque<Limit> limits = new ArrayDeque<>();
  private long start;
  private @Nullable Place rest;
  private boolean whole = true;
  private long wholeAgainAt;

  /**
   * Returns where to start a look, or to continue one that found too much.
   *
   * @param nanos the monotonic clock
   */
  synchronized Place next(long nanos) {
    if (rest != null) {
      return rest;
    }
    whole |= nanos - wholeAgainAt >= 0;
    return whole ? Place.BEGINNING : Place.before(start);
  }

  /** Records that a look found as much as it may, up to this place. */
  synchronized void stopped(Place last) {
    rest = last;
  }

  /** Returns where to start the second part of a look, whose first part has come to the end. */
  synchronized Place again() {
    rest = null;
    return Place.before(start);
  }

  /**
   * Records a look from the start, or from the beginning, to the end or to its limit.
   *
   * @param oldestOpen all transactions below this number had ended
   * @param next no transaction with this number or a higher one had ended
   * @param oldestMark the lowest number of a mark that was found; null if none was
   */
  synchronized void saw(
      long oldestOpen, long next, @Nullable Long oldestMark, long began, long ended) {
    if (whole) {
      whole = false;
      wholeAgainAt = ended + Math.max(WHOLE.toNanos(), SHARE * (ended - began));
    }
    start = Math.max(start, oldestMark == null ? oldestOpen : Math.min(oldestOpen, oldestMark));
    Limit oldest = limits.peekFirst();
    while (oldest != null && began - oldest.nanos >= PATIENCE.toNanos()) {
      start = Math.max(start, oldest.below);
      limits.removeFirst();
      oldest = limits.peekFirst();
    }
    Limit newest = limits.peekLast();
    if (newest == null || began - newest.nanos >= BETWEEN_LIMITS.toNanos()) {
      limits.addLast(new Limit(next, began));
    }
  }
}
