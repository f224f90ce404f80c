package dev.holdfast.engine.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.EventIntake.SubjectRules;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of one subject of a trigger, by the store's clock.
 *
 * <p>One row serves debounce and cooldown: until {@link #firesAt} its job waits for a quiet period
 * and may still be postponed; from then on it counts as started, and the cooldown runs.
 *
 * @param job the latest job created for the subject; null before the first
 * @param since when the first event arrived that this job stands for
 * @param firesAt when the job starts or started
 */
public record SubjectState(
    @Nullable JobId job, @Nullable Instant since, @Nullable Instant firesAt) {

  /** Nothing is stored about the subject. */
  public static final SubjectState UNKNOWN = new SubjectState(null, null, null);

  /** What to do with an event. */
  public sealed interface Step {
    /** The event was handled by an earlier call whose reply was lost. */
    record Repeat() implements Step {}

    /** An equal payload was started by this job. */
    record Duplicate(JobId job) implements Step {}

    /** The subject is in the cooldown after this job. */
    record Cool(JobId job) implements Step {}

    /**
     * Replaces the payload of the waiting job and postpones it. If the job cannot be changed any
     * more, a new one is created.
     */
    record Postpone(JobId job, Instant firesAt) implements Step {}

    /** Creates a new job. */
    record Open(Instant firesAt) implements Step {}
  }

  /**
   * Decides what to do with an event.
   *
   * @param own the id of the job that the event would create
   * @param holder the job that holds the unique key of the event's payload; null if it is free
   * @param now the store's time
   */
  public Step decide(SubjectRules rules, JobId own, @Nullable JobId holder, Instant now) {
    if (own.equals(job) || own.equals(holder)) {
      return new Step.Repeat();
    }
    boolean waiting =
        job != null && firesAt != null && rules.quiet() != null && firesAt.isAfter(now);
    // The same payload again while its job waits is not a duplicate: the subject is not quiet.
    if (holder != null && !(waiting && holder.equals(job))) {
      return new Step.Duplicate(holder);
    }
    if (waiting && job != null && since != null) {
      return new Step.Postpone(job, rules.quietEnd(since, now));
    }
    if (job != null && cools(rules, now)) {
      return new Step.Cool(job);
    }
    return new Step.Open(rules.quietEnd(now, now));
  }

  private boolean cools(SubjectRules rules, Instant now) {
    Duration cooldown = rules.cooldown();
    return cooldown != null
        && firesAt != null
        && !firesAt.isAfter(now)
        && firesAt.plus(cooldown).isAfter(now);
  }

  /**
   * Returns how long the state is needed after {@link #firesAt}: until no cooldown runs any more.
   */
  public static Duration mattersFor(SubjectRules rules) {
    Duration cooldown = rules.cooldown();
    return cooldown == null ? Duration.ZERO : cooldown;
  }
}
