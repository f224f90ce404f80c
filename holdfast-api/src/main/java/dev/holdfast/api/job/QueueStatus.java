package dev.holdfast.api.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue. Counting stops at a bound, 100,000 at most, so that reading the state of a
 * long queue is cheap; the last three components tell which counts are lower bounds.
 *
 * @param name the name of the queue
 * @param paused whether it is paused: no node starts its jobs
 * @param limit how many of its jobs may be claimed or running in the whole cluster; null for no
 *     limit
 * @param ready how many jobs are ready
 * @param held how many jobs are claimed or running
 * @param scheduled how many jobs are not due yet
 * @param oldestReady how long the longest-waiting of the counted ready jobs has waited; zero if
 *     none is ready
 * @param moreReady whether more jobs are ready than were counted
 * @param moreHeld whether more jobs may be claimed or running than were counted
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

  /** Creates the state of a queue whose jobs were all counted. */
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
