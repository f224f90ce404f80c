package dev.holdfast.engine.schedule;

import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.ScheduleStatus;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A {@link ScheduleStatus} as it was read. */
record ScheduleSnapshot(
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
    @Nullable Instant lastFire)
    implements ScheduleStatus {
  ScheduleSnapshot {
    tags = Set.copyOf(tags);
  }
}
