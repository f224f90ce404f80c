package dev.holdfast.postgres.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides where the claims of one lane look for ready jobs.
 *
 * <p>Normally they read job_ready from the start. But while a transaction anywhere holds an old
 * snapshot, the index entries of finished jobs cannot be removed, and each costs every claim 0.1 to
 * 0.2 microseconds: 400 ms for one claim after two million jobs. In that case claims read windows
 * that leave out the ranges where nothing can be. A new job of a priority is inserted at the
 * current time minus the head start of that priority, so an older range that was claimed or seen
 * empty stays empty.
 *
 * <p>A slow claim is only an indication: the database may also be far away or busy, and windows
 * would add to its load. So the entries are counted before the next claim.
 *
 * <p>Windows miss some jobs: a job that was committed long after its rank was assigned, staged
 * late, or handed back. A scan from the start finds these. It runs whenever the windows do not
 * yield enough jobs, unless it takes very long; then it runs occasionally and uses at most one
 * twentieth of the time.
 */
public final class ReadyScan {
  /**
   * The thresholds for using windows.
   *
   * @param claim the minimum duration of a claim from the start
   * @param entries the minimum number of entries before the first ready job
   */
  public record Slow(Duration claim, long entries) {
    static final Slow DEFAULT = new Slow(Duration.ofMillis(25), 10_000);
  }

  /** How long a low count of entries remains valid. */
  private static final long FEW_FOR = Duration.ofSeconds(10).toNanos();

  /** How long a scan from the start may take to be run whenever windows yield too few jobs. */
  private static final Duration AFFORDABLE = Duration.ofMillis(250);

  private static final int SHARE = 20;
  private static final Duration SLACK = Duration.ofSeconds(1);
  private static final int PRIORITIES = 10;
  private static final Instant BEGINNING = Instant.EPOCH;
  private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

  /**
   * A range of ranks.
   *
   * @param from the first rank, inclusive
   * @param to the last rank, exclusive
   */
  record Window(Instant from, Instant to) {}

  /** All ranks. */
  static final List<Window> WHOLE = List.of(new Window(BEGINNING, END));

  private final Duration aging;
  private final Slow limits;
  private final Instant[] nothingBefore = new Instant[PRIORITIES];
  private boolean slow;
  private long wholeTook;
  private long wholeAgainAt;
  private boolean unclear;
  private boolean few;
  private long fewSince;
  private Instant lastTime = BEGINNING;
  private long lastTimeAt;

  ReadyScan(Duration aging, Slow limits) {
    this.aging = aging;
    this.limits = limits;
    Arrays.fill(nothingBefore, BEGINNING);
  }

  /**
   * Returns the windows for a claim, ascending and without overlap.
   *
   * @param nanos the monotonic clock
   */
  synchronized List<Window> windows(long nanos) {
    if (!slow || nanos - wholeAgainAt >= 0) {
      return WHOLE;
    }
    Instant present = lastTime.plusNanos(nanos - lastTimeAt).plus(SLACK);
    List<Window> windows = new ArrayList<>();
    for (int priority = PRIORITIES - 1; priority > 0; priority--) {
      Instant to = earlier(nothingBefore[priority - 1], enteringAt(present, priority));
      if (nothingBefore[priority].isBefore(to)) {
        windows.add(new Window(nothingBefore[priority], to));
      }
    }
    windows.add(new Window(nothingBefore[0], END));
    return windows;
  }

  /** Returns whether to scan from the start after windows did not yield enough jobs. */
  synchronized boolean affordsWhole() {
    return wholeTook <= AFFORDABLE.toNanos();
  }

  /** Records how long a claim took, in nanoseconds of the monotonic clock. */
  synchronized void took(List<Window> windows, long started, long ended) {
    if (windows.equals(WHOLE)) {
      wholeTook = ended - started;
      boolean tookLong = wholeTook > limits.claim.toNanos();
      slow &= tookLong;
      unclear = tookLong && !(few && ended - fewSince < FEW_FOR);
      wholeAgainAt = ended + SHARE * wholeTook;
    }
  }

  /** Returns whether to count the entries before the first ready job. */
  synchronized boolean isUnclear() {
    return unclear;
  }

  /**
   * Records the number of entries before the first ready job. The time for counting them is part of
   * the cost of a scan from the start.
   */
  synchronized void counted(long entries, long started, long ended) {
    unclear = false;
    slow = entries >= limits.entries;
    few = !slow;
    fewSince = ended;
    wholeAgainAt = ended + SHARE * (wholeTook + ended - started);
  }

  /**
   * Records which ranges are empty after a claim.
   *
   * @param time when the claim was made, by the clock of the database
   * @param last the last rank that was claimed, if the claim got all it wanted; null if it claimed
   *     all there was
   */
  synchronized void saw(Instant time, @Nullable Instant last, long nanos) {
    lastTime = time;
    lastTimeAt = nanos;
    for (int priority = 0; priority < PRIORITIES; priority++) {
      Instant settled = enteringAt(time.minus(SLACK), priority);
      Instant empty = last == null ? settled : earlier(last, settled);
      if (nothingBefore[priority].isBefore(empty)) {
        nothingBefore[priority] = empty;
      }
    }
  }

  private Instant enteringAt(Instant time, int priority) {
    return time.minus(aging.multipliedBy(priority));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
