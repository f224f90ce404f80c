package dev.holdfast.api.schedule;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as the database has it.
 *
 * @param application the application whose code declares it; null for one made by a client
 * @param task the task it runs
 * @param payload what it hands the task, as text
 * @param paused whether it fires nothing until it is resumed
 * @param nextFire when it is due next; a time that has passed means that it waits for its last job
 *     to end, or for a node; null if it is past its end
 * @param lastFire the due time it fired last; null if none yet
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

  public ScheduleStatus {
    tags = Set.copyOf(tags);
  }
}
