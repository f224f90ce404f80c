package dev.holdfast.api.schedule;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored schedule and its state.
 *
 * @param id its id
 * @param application the application whose nodes declare it; null if it was created by a client
 * @param task the name of the task it runs
 * @param queue the queue of its jobs
 * @param priority the priority of its jobs, 0 to 9
 * @param payload the encoded payload of its jobs; null for none
 * @param tags its tags, which are also those of its jobs
 * @param recurrence when it is due
 * @param paused whether it is paused: it creates no jobs until it is resumed
 * @param nextFire when it is due next; a past time means that it waits for its last job to end, or
 *     for a node; null if it has no more due times
 * @param lastFire the latest due time for which it fired; null before the first
 */
public record ScheduleStatus(
    String id,
    @Nullable String application,
    String task,
    String queue,
    int priority,
    @Nullable String payload,
    Set<String> tags,
    Recurrence recurrence,
    boolean paused,
    @Nullable Instant nextFire,
    @Nullable Instant lastFire) {

  /** Copies the tags. */
  public ScheduleStatus {
    tags = Set.copyOf(tags);
  }
}
