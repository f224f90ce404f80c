package dev.holdfast.api.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue. Counting stops at a bound, 100,000 at most, so that reading the state of a
 * long queue is cheap; {@link #moreReady}, {@link #moreHeld} and {@link #moreScheduled} tell which
 * counts are lower bounds.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface QueueStatus {
  /** Returns the name of the queue. */
  String name();

  /** Returns whether it is paused: no node starts its jobs. */
  boolean paused();

  /** Returns why it is paused; null if it is not paused, or no reason was given. */
  @Nullable String pauseReason();

  /**
   * Returns since when it is paused; null if it is not paused, or was paused by a version of
   * Holdfast that did not store this.
   */
  @Nullable Instant pausedAt();

  /**
   * Returns how many of its jobs may be claimed or running in the whole cluster; null for no limit.
   */
  @Nullable Integer limit();

  /** Returns how many jobs are ready. */
  long ready();

  /** Returns how many jobs are claimed or running. */
  long held();

  /** Returns how many jobs are not due yet. */
  long scheduled();

  /**
   * Returns how long the longest-waiting of the counted ready jobs has waited; zero if none is
   * ready.
   */
  Duration oldestReady();

  /** Returns whether more jobs are ready than were counted. */
  boolean moreReady();

  /** Returns whether more jobs may be claimed or running than were counted. */
  boolean moreHeld();

  /** Returns whether more jobs may be scheduled than were counted. */
  boolean moreScheduled();
}
