package dev.holdfast.engine.store;

import dev.holdfast.api.schedule.Recurrence;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a schedule, as stored.
 *
 * @param id its business key
 * @param recurrence when it is due
 * @param job the template of its jobs
 */
public record SchedulePlan(String id, Recurrence recurrence, JobTemplate job) {

  /**
   * What the jobs of a schedule have in common.
   *
   * @param tags the tags of its jobs, and of the schedule itself
   * @param policy as in {@link NewJob}
   * @param stack the stack of the node or client that declared or saved the schedule. Its jobs
   *     belong to that stack, no matter which node fires them; null for any
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
