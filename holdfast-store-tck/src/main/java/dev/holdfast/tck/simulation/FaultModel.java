package dev.holdfast.tck.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;

/**
 * The random faults between nodes and the store, determined by the seed. There are none after
 * {@code calmAt}.
 */
final class FaultModel implements InstantSource {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final Timeline timeline;
  private final SplittableRandom random;
  private final long calmAt;
  private final double lateResults;

  /** The factor by which the probability of each fault is multiplied. */
  private final double badness;

  private long storeAwayUntil;
  private long lastAway = Long.MIN_VALUE;
  private long readOnlyUntil;
  private long storeSlowUntil;
  private long slowness;
  private Duration databaseClockOffset = Duration.ZERO;
  private int databaseClockChanges;

  /**
   * The course of one call.
   *
   * @param there how long the request takes to arrive
   * @param back how long the reply takes to return
   * @param replyLost whether the reply never arrives
   * @param patience how long the caller waits before it gives up
   */
  record Trip(long there, long back, boolean replyLost, long patience) {}

  /**
   * @param lateResults the probability that a reply arrives just before its caller would give up
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

  /** Returns how often the clock of the database has jumped. */
  int databaseClockChanges() {
    return databaseClockChanges;
  }

  boolean isCalm() {
    return timeline.now() >= calmAt;
  }

  /** Decides whether a fault of this probability happens now. */
  boolean strikes(double probability) {
    return !isCalm() && random.nextDouble() < probability * badness;
  }

  void storeGoesAway(long nanos) {
    storeAwayUntil = Math.max(storeAwayUntil, timeline.now() + nanos);
    lastAway = storeAwayUntil;
  }

  /** Returns the end of the latest outage of the store. */
  long awayUntil() {
    return lastAway;
  }

  /** Makes the store reject writes for this time, like a primary that became a standby. */
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

  /** Decides the course of a call whose caller waits for this time. */
  Trip trip(long patience) {
    long most = storeSlowUntil > timeline.now() ? slowness : 20_000_000;
    long there = random.nextLong(100_000, most);
    long back = random.nextLong(100_000, most);
    if (strikes(0.02)) {
      // The call is executed long after its caller has given up.
      long givenUp = random.nextLong(1_000_000, patience);
      return new Trip(givenUp + random.nextLong(9_000_000_000L), back, true, givenUp);
    }
    if (strikes(lateResults)) {
      // The call is executed at once, and its reply arrives just before the caller would give up.
      return new Trip(100_000, patience - 200_000, false, patience);
    }
    return new Trip(there, back, strikes(0.03), patience);
  }
}
