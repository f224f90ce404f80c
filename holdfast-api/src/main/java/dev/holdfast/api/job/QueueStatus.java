package dev.holdfast.api.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue. Counting stops at a bound, 100,000 at most, so that a long queue can be
 * looked at cheaply; the last three components say which counts are lower bounds.
 *
 * @param name its name
 * @param paused whether nodes leave it alone for now
 * @param limit how many of its jobs may be held in the whole cluster; null for no limit
 * @param ready how many jobs wait
 * @param held how many jobs nodes hold
 * @param scheduled how many jobs are not due yet
 * @param oldestReady how long the longest-waiting ready job has waited, of those that were counted;
 *     zero where none waits
 * @param moreReady whether more jobs wait than were counted
 * @param moreHeld whether nodes may hold more jobs than were counted
 * @param moreScheduled whether more jobs may be scheduled than were counted
 */
public record QueueStatus(
    String name,
    boolean paused,
    @Nullable Integer limit,
    long ready,
    long held,
    long scheduled,
    Duration oldestReady,
    boolean moreReady,
    boolean moreHeld,
    boolean moreScheduled) {

  /** A queue whose jobs were all counted. */
  public QueueStatus(
      String name,
      boolean paused,
      @Nullable Integer limit,
      long ready,
      long held,
      long scheduled,
      Duration oldestReady) {
    this(name, paused, limit, ready, held, scheduled, oldestReady, false, false, false);
  }
}
