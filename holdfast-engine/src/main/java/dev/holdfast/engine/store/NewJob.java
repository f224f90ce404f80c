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
 * @param idUse whether the id may have been used before. The store then looks among ended jobs too,
 *     which a fresh id saves it.
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
    IdUse idUse,
    Stamp stamp) {

  /** What is known of the id of a new job. */
  public enum IdUse {
    /** Made for this call, and sent for the first time. */
    FRESH,
    /** Chosen by the caller, who may have used it before. */
    CHOSEN,
    /**
     * Sent before: the reply was lost. The first attempt may still be on its way, so the store
     * remembers the id, and the first attempt creates nothing when it arrives after the repeat.
     */
    REPEATED
  }

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
        mayExist ? IdUse.CHOSEN : IdUse.FRESH,
        Stamp.NONE);
  }

  /** Whether a job of this id may exist, live or ended. */
  public boolean mayExist() {
    return idUse != IdUse.FRESH;
  }

  /** Whether this call follows one whose reply was lost. */
  public boolean isRepeat() {
    return idUse == IdUse.REPEATED;
  }

  /** How many characters it carries, as a measure of what a statement has to transport. */
  public long size() {
    return length(payload) + length(policy) + tags.stream().mapToLong(String::length).sum();
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /**
   * The same job, sent once more because the first reply was lost. A chosen id stays one: each
   * attempt looks for it among ended jobs, so a late one does no harm.
   */
  public NewJob repeated() {
    if (idUse == IdUse.CHOSEN) {
      return this;
    }
    return new NewJob(
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
        IdUse.REPEATED,
        stamp);
  }
}
