package dev.holdfast.api.schedule;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule is due, and what happens if a due time is missed or jobs would overlap.
 *
 * @param timing the cron expression or interval
 * @param misfire what happens to missed due times; defaults to {@link Misfire#FIRE_ONCE}
 * @param overlap whether jobs may overlap; defaults to {@link Overlap#SKIP}
 * @param jitter by how much a job may become ready later than its due time, so that schedules with
 *     the same due time do not start all at once; zero to one day, defaults to zero
 * @param from the earliest due time; null for no bound
 * @param until the latest due time; null for no bound
 */
public record Recurrence(
    Timing timing,
    Misfire misfire,
    Overlap overlap,
    Duration jitter,
    @Nullable Instant from,
    @Nullable Instant until) {

  private static final Duration LONGEST_JITTER = Duration.ofDays(1);

  /**
   * Checks the values and their combination.
   *
   * @throws IllegalArgumentException if a value is not valid, or two values contradict each other
   */
  public Recurrence {
    if (jitter.isNegative() || jitter.compareTo(LONGEST_JITTER) > 0) {
      throw new IllegalArgumentException(
          "A jitter of %s is not valid: give zero to %s."
              .formatted(Times.describe(jitter), Times.describe(LONGEST_JITTER)));
    }
    requireStorable("start", from);
    requireStorable("end", until);
    if (from != null && until != null && !until.isAfter(from)) {
      throw new IllegalArgumentException(
          "A schedule that starts at %2$s cannot end at %1$s: give an end after the start."
              .formatted(until, from));
    }
    if (overlap != Overlap.ALLOW && misfire instanceof Misfire.CatchUp(int max) && max > 1) {
      throw new IllegalArgumentException(
          "Misfire policy %s creates several jobs at once, but overlap %s allows one: use overlap ALLOW, or misfire FIRE_ONCE."
              .formatted(misfire, overlap));
    }
    if (overlap == Overlap.QUEUE) {
      requireOneFiring(misfire);
    }
  }

  private static void requireStorable(String verb, @Nullable Instant time) {
    if (time != null && !Times.isStorable(time)) {
      throw new IllegalArgumentException(
          "A schedule cannot %s at %s: give a time from %s to %s, or leave it out for no bound."
              .formatted(verb, time, Times.EARLIEST, Times.LATEST));
    }
  }

  /**
   * With QUEUE one due time waits for the current job to end, so it must create exactly one job.
   */
  private static void requireOneFiring(Misfire misfire) {
    switch (misfire) {
      case Misfire.FireOnce() -> {}
      case Misfire.Skip() ->
          throw new IllegalArgumentException(
              "Misfire policy SKIP drops the due time that overlap QUEUE keeps waiting: use misfire"
                  + " FIRE_ONCE, or overlap SKIP.");
      case Misfire.CatchUp catchUp ->
          throw new IllegalArgumentException(
              "Misfire policy %s creates a job for a missed due time in addition to the current one, but overlap QUEUE lets only one wait: use misfire FIRE_ONCE, or overlap ALLOW."
                  .formatted(catchUp));
    }
  }

  /** Returns a recurrence with this timing and defaults for everything else. */
  public static Recurrence of(Timing timing) {
    return new Recurrence(timing, Misfire.FIRE_ONCE, Overlap.SKIP, Duration.ZERO, null, null);
  }
}
