package dev.holdfast.tck.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;

/**
 * The random faults between nodes and the store, determined by the seed. After the calm starts
 * there are none.
 */
final class FaultModel implements InstantSource {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final Timeline timeline;
  private final SplittableRandom random;
  private final long calmAt;
  private final double lateResults;

  /** How bad it is: the chance of each single fault is multiplied by it. */
  private final double badness;

  private long storeAwayUntil;
  private long lastAway = Long.MIN_VALUE;
  private long readOnlyUntil;
  private long storeSlowUntil;
  private long slowness;
  private Duration databaseClockOffset = Duration.ZERO;
  private int databaseClockChanges;

  /**
   * What becomes of a call.
   *
   * @param there how long the request travels
   * @param back how long the answer travels
   * @param answerLost whether it arrives
   * @param patience how long the caller waits before it gives up
   */
  record Trip(long there, long back, boolean answerLost, long patience) {}

  /**
   * @param lateResults how likely it is that a result arrives just before its caller would give up
   */
  FaultModel(Timeline timeline, SplittableRandom random, long calmAt, double lateResults) {
    this.lateResults = lateResults;
    this.timeline = timeline;
    this.random = random;
    this.calmAt = calmAt;
    this.badness = random.nextDouble() * 2;
  }

  /** The clock of the database, which may jump. */
  @Override
  public Instant instant() {
    return EPOCH.plusNanos(timeline.now()).plus(databaseClockOffset);
  }

  void setDatabaseClock(Duration forward) {
    databaseClockOffset = databaseClockOffset.plus(forward);
    databaseClockChanges++;
  }

  /** How often the clock of the database has jumped. */
  int databaseClockChanges() {
    return databaseClockChanges;
  }

  boolean isCalm() {
    return timeline.now() >= calmAt;
  }

  /** Whether something of this probability happens now. */
  boolean strikes(double probability) {
    return !isCalm() && random.nextDouble() < probability * badness;
  }

  void storeGoesAway(long nanos) {
    storeAwayUntil = Math.max(storeAwayUntil, timeline.now() + nanos);
    lastAway = storeAwayUntil;
  }

  /** Until when reads have failed, at the latest since the beginning. */
  long awayUntil() {
    return lastAway;
  }

  /** Let the store refuse writes for this time, as a primary does that became a standby. */
  void storeBecomesReadOnly(long nanos) {
    readOnlyUntil = Math.max(readOnlyUntil, timeline.now() + nanos);
  }

  boolean isStoreReadOnly() {
    return readOnlyUntil > timeline.now();
  }

  long readOnlyUntil() {
    return readOnlyUntil;
  }

  boolean isStoreAway() {
    return storeAwayUntil > timeline.now();
  }

  void storeSlowsDown(long nanos, long latency) {
    storeSlowUntil = timeline.now() + nanos;
    slowness = latency;
  }

  /** Decide what becomes of a call whose caller waits so long. */
  Trip trip(long patience) {
    long most = storeSlowUntil > timeline.now() ? slowness : 20_000_000;
    long there = random.nextLong(100_000, most);
    long back = random.nextLong(100_000, most);
    if (strikes(0.02)) {
      // It is carried out long after its caller has given up.
      long givenUp = random.nextLong(1_000_000, patience);
      return new Trip(givenUp + random.nextLong(9_000_000_000L), back, true, givenUp);
    }
    if (strikes(lateResults)) {
      // It is carried out at once, and its result arrives just before the caller would give up.
      return new Trip(100_000, patience - 200_000, false, patience);
    }
    return new Trip(there, back, strikes(0.03), patience);
  }
}
