package dev.holdfast.api.schedule;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored schedule and its state.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface ScheduleStatus {
  /** Returns its id. */
  String id();

  /** Returns the application whose nodes declare it; null if it was created by a client. */
  @Nullable String application();

  /** Returns the name of the task it runs. */
  String task();

  /** Returns the queue of its jobs. */
  String queue();

  /** Returns the priority of its jobs, 0 to 9. */
  int priority();

  /** Returns the encoded payload of its jobs; null for none. */
  @Nullable String payload();

  /** Returns its tags, which are also those of its jobs. */
  Set<String> tags();

  /** Returns when it is due. */
  Recurrence recurrence();

  /** Returns whether it is paused: it creates no jobs until it is resumed. */
  boolean paused();

  /**
   * Returns when it is due next; a past time means that it waits for its last job to end, or for a
   * node; null if it has no more due times.
   */
  @Nullable Instant nextFire();

  /** Returns the latest due time for which it fired; null before the first. */
  @Nullable Instant lastFire();
}
