package dev.holdfast.api.schedule;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule is due, and what happens when it could not be fired then.
 *
 * @param timing by which rhythm
 * @param misfire what becomes of missed due times; defaults to {@link Misfire#FIRE_ONCE}
 * @param overlap whether jobs may overlap; defaults to {@link Overlap#SKIP}
 * @param jitter how much later than its due time a job may become ready, spread evenly so that
 *     schedules of the same time do not all begin at once; defaults to zero
 * @param from no due time lies before this; null for no such bound
 * @param until no due time lies after this; null for ever
 */
public record Recurrence(
    Timing timing,
    Misfire misfire,
    Overlap overlap,
    Duration jitter,
    @Nullable Instant from,
    @Nullable Instant until) {

  private static final Duration LONGEST_JITTER = Duration.ofDays(1);

  public Recurrence {
    if (jitter.isNegative() || jitter.compareTo(LONGEST_JITTER) > 0) {
      throw new IllegalArgumentException(
          "A jitter of %s is not valid: give zero to %s.".formatted(jitter, LONGEST_JITTER));
    }
    requireStorable("start", from);
    requireStorable("end", until);
    if (from != null && until != null && !until.isAfter(from)) {
      throw new IllegalArgumentException(
          "A schedule cannot end at %s, since it starts at %s: give an end after the start."
              .formatted(until, from));
    }
    if (overlap != Overlap.ALLOW && misfire instanceof Misfire.CatchUp(int max) && max > 1) {
      throw new IllegalArgumentException(
          "Misfire policy %s makes several jobs at once, and overlap %s allows one: give overlap ALLOW, or misfire FIRE_ONCE."
              .formatted(misfire, overlap));
    }
    if (overlap == Overlap.QUEUE) {
      requireOneFiring(misfire);
    }
  }

  private static void requireStorable(String verb, @Nullable Instant time) {
    if (time != null && !Times.isStorable(time)) {
      throw new IllegalArgumentException(
          "A schedule cannot %s at %s: give a time from %s to %s, or leave it out for no such bound."
              .formatted(verb, time, Times.EARLIEST, Times.LATEST));
    }
  }

  /** One due time waits behind a live job, so one job must be what it makes. */
  private static void requireOneFiring(Misfire misfire) {
    switch (misfire) {
      case Misfire.FireOnce() -> {}
      case Misfire.Skip() ->
          throw new IllegalArgumentException(
              "Misfire policy SKIP forgets the due time that overlap QUEUE keeps waiting: give"
                  + " misfire FIRE_ONCE, or overlap SKIP.");
      case Misfire.CatchUp catchUp ->
          throw new IllegalArgumentException(
              "Misfire policy %s makes a job for a missed due time besides the one that is due, and overlap QUEUE lets one wait: give misfire FIRE_ONCE, or overlap ALLOW."
                  .formatted(catchUp));
    }
  }

  /** The same recurrence for this timing, with defaults for everything else. */
  public static Recurrence of(Timing timing) {
    return new Recurrence(timing, Misfire.FIRE_ONCE, Overlap.SKIP, Duration.ZERO, null, null);
  }
}
