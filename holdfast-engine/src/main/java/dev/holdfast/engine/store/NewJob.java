package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job about to be written.
 *
 * @param policy what only its holder needs to know (retries, timeout), as text the store does not
 *     read; null where the task's own defaults hold
 * @param mayExist whether the id may have been used before: a repeat after a lost answer, or an id
 *     of the caller's own. The store then looks among ended jobs too, which a fresh id spares it.
 */
public record NewJob(
    JobId id,
    String task,
    String queue,
    int priority,
    When when,
    @Nullable String payload,
    @Nullable UniqueKey unique,
    Set<String> tags,
    @Nullable String policy,
    @Nullable Duration startWithin,
    boolean mayExist,
    Stamp stamp) {

  /**
   * Where a job comes from.
   *
   * @param stack the fleet it belongs to; null for any
   * @param source the node that fired it, or recorded it without running such jobs itself; null for
   *     others
   */
  public record Stamp(@Nullable String stack, @Nullable String source) {
    public static final Stamp NONE = new Stamp(null, null);
  }

  /** A job that belongs to no fleet. */
  public NewJob(
      JobId id,
      String task,
      String queue,
      int priority,
      When when,
      @Nullable String payload,
      @Nullable UniqueKey unique,
      Set<String> tags,
      @Nullable String policy,
      @Nullable Duration startWithin,
      boolean mayExist) {
    this(
        id,
        task,
        queue,
        priority,
        when,
        payload,
        unique,
        tags,
        policy,
        startWithin,
        mayExist,
        Stamp.NONE);
  }

  /** The same job, sent once more because the first answer was lost. */
  public NewJob repeated() {
    return new NewJob(
        id, task, queue, priority, when, payload, unique, tags, policy, startWithin, true, stamp);
  }
}
