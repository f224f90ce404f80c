package dev.holdfast.engine.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.EventIntake.SubjectRules;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store remembers of one subject of a trigger, by its own clock.
 *
 * <p>One row serves debounce and cooldown: until {@link #firesAt} its job waits for quiet and may
 * still be postponed; from then on it counts as started, and the subject cools down.
 *
 * @param job the latest job made for the subject; null before the first
 * @param since when the first event came that this job stands for
 * @param firesAt when the job starts or started
 */
public record SubjectState(
    @Nullable JobId job, @Nullable Instant since, @Nullable Instant firesAt) {

  /** Nothing is known of the subject. */
  public static final SubjectState UNKNOWN = new SubjectState(null, null, null);

  /** What to do with an event. */
  public sealed interface Step {
    /** The event was dealt with by an earlier call whose answer got lost. */
    record Repeat() implements Step {}

    /** An equal payload was started by this job. */
    record Duplicate(JobId job) implements Step {}

    /** The subject cools down after this job. */
    record Cool(JobId job) implements Step {}

    /**
     * Let the waiting job carry this payload, and wait on. If it cannot any more, open a new one.
     */
    record Postpone(JobId job, Instant firesAt) implements Step {}

    /** Make a new job. */
    record Open(Instant firesAt) implements Step {}
  }

  /**
   * Decide about an event.
   *
   * @param own the id of the job that the event wants to make
   * @param holder the job that holds the key of the event's payload; null if it is free
   * @param now the store's time
   */
  public Step decide(SubjectRules manners, JobId own, @Nullable JobId holder, Instant now) {
    if (own.equals(job) || own.equals(holder)) {
      return new Step.Repeat();
    }
    boolean waiting =
        job != null && firesAt != null && manners.quiet() != null && firesAt.isAfter(now);
    // The same payload again while its job waits is news: the subject is not quiet.
    if (holder != null && !(waiting && holder.equals(job))) {
      return new Step.Duplicate(holder);
    }
    if (waiting && job != null && since != null) {
      return new Step.Postpone(job, manners.quietEnd(since, now));
    }
    if (job != null && cools(manners, now)) {
      return new Step.Cool(job);
    }
    return new Step.Open(manners.quietEnd(now, now));
  }

  private boolean cools(SubjectRules manners, Instant now) {
    Duration cooldown = manners.cooldown();
    return cooldown != null
        && firesAt != null
        && !firesAt.isAfter(now)
        && firesAt.plus(cooldown).isAfter(now);
  }

  /** How long the state matters: until nothing waits and nothing cools down any more. */
  public static Duration mattersFor(SubjectRules manners) {
    Duration cooldown = manners.cooldown();
    return cooldown == null ? Duration.ZERO : cooldown;
  }
}
