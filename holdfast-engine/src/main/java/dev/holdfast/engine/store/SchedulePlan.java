package dev.holdfast.engine.store;

import dev.holdfast.api.schedule.Recurrence;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a schedule says, as it is kept.
 *
 * @param id its business key
 * @param recurrence when it is due
 * @param job what its jobs are like
 */
public record SchedulePlan(String id, Recurrence recurrence, JobTemplate job) {

  /**
   * What the jobs of a schedule have in common.
   *
   * @param tags of its jobs, and of the schedule itself
   * @param policy as in {@link NewJob}
   * @param stack the fleet of whoever declared or put the schedule, which its jobs belong to
   *     whoever fires; null for any
   */
  public record JobTemplate(
      String task,
      String queue,
      int priority,
      @Nullable String payload,
      Set<String> tags,
      @Nullable String policy,
      @Nullable Duration startWithin,
      @Nullable String stack) {

    public JobTemplate {
      tags = Set.copyOf(tags);
    }
  }
}
