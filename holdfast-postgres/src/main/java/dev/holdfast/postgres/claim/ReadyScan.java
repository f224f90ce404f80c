package dev.holdfast.postgres.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the claims of one lane look for ready jobs.
 *
 * <p>Normally from the beginning of job_ready. But while a transaction somewhere holds an old
 * snapshot, entries of jobs that are long done cannot be removed from the index, and each costs
 * every claim 0.1 to 0.2 microseconds: 400 ms for one claim after two million jobs. Then claims
 * look through windows instead, which leave out where nothing can be: new jobs of a priority enter
 * at the present less their head start, so what is older and was claimed or seen empty stays empty.
 *
 * <p>A claim that takes long only raises the question: the database may also be far away or busy,
 * and windows would add to its load. So before the next claim the entries are counted.
 *
 * <p>What windows miss (a job committed long after its rank was taken, one that was staged late or
 * given back) is found by looking from the beginning. That is done whenever windows do not yield
 * enough, unless it takes very long; then now and then, as often as a twentieth of the time allows.
 */
public final class ReadyScan {
  /**
   * What leads to windows.
   *
   * @param claim how long a claim from the beginning takes at least
   * @param entries how many entries are before the first ready job at least
   */
  public record Slow(Duration claim, long entries) {
    static final Slow DEFAULT = new Slow(Duration.ofMillis(25), 10_000);
  }

  /** How long a count of few entries is good for. */
  private static final long FEW_FOR = Duration.ofSeconds(10).toNanos();

  /** A node that found too little has this much time to look again. */
  private static final Duration AFFORDABLE = Duration.ofMillis(250);

  private static final int SHARE = 20;
  private static final Duration SLACK = Duration.ofSeconds(1);
  private static final int PRIORITIES = 10;
  private static final Instant BEGINNING = Instant.EPOCH;
  private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

  /** A part of the ranks, from the first included to the last excluded. */
  record Window(Instant from, Instant to) {}

  /** Everything. */
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
   * The windows for a claim, ascending and without overlap.
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

  /** Whether to look from the beginning after windows did not yield enough. */
  synchronized boolean affordsWhole() {
    return wholeTook <= AFFORDABLE.toNanos();
  }

  /** Learn from a claim how long it took, in nanoseconds of the monotonic clock. */
  synchronized void took(List<Window> windows, long began, long ended) {
    if (windows.equals(WHOLE)) {
      wholeTook = ended - began;
      boolean tookLong = wholeTook > limits.claim.toNanos();
      slow &= tookLong;
      unclear = tookLong && !(few && ended - fewSince < FEW_FOR);
      wholeAgainAt = ended + SHARE * wholeTook;
    }
  }

  /** Whether to count the entries before the first ready job. */
  synchronized boolean isUnclear() {
    return unclear;
  }

  /**
   * Learn how many entries are before the first ready job. Counting them is a part of what looking
   * from the beginning takes.
   */
  synchronized void counted(long entries, long began, long ended) {
    unclear = false;
    slow = entries >= limits.entries;
    few = !slow;
    fewSince = ended;
    wholeAgainAt = ended + SHARE * (wholeTook + ended - began);
  }

  /**
   * Learn from a claim what is empty now.
   *
   * @param time when it was made, by the clock of the database
   * @param last the last rank it took, if it got all it wanted; null if it took all there was
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
