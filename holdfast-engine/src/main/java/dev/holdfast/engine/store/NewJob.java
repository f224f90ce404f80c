package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job to be written.
 *
 * @param idUse whether the id may have been used before. If so, the store also looks among ended
 *     jobs; a fresh id saves that query.
 */
public record NewJob(
    JobId id, IdUse idUse, When when, @Nullable UniqueKey unique, Content content) {

  /**
   * What stays the same when a job is sent again, or written for another time.
   *
   * @param policy settings that only the node that runs the job needs (retries, timeout), as text
   *     that the store does not read; null to use the defaults of the task
   */
  public record Content(
      String task,
      String queue,
      int priority,
      @Nullable String payload,
      Set<String> tags,
      @Nullable String policy,
      @Nullable Duration startWithin,
      Stamp stamp) {

    /** Returns the number of characters of the payload, policy and tags. */
    long size() {
      return length(payload) + length(policy) + tags.stream().mapToLong(String::length).sum();
    }

    private static long length(@Nullable String text) {
      return text == null ? 0 : text.length();
    }
  }

  /** What is known about the id of a new job. */
  public enum IdUse {
    /** Created for this call, and sent for the first time. */
    FRESH,
    /** Chosen by the caller, and possibly used before. */
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
   * @param stack the stack that the job belongs to; null for any
   * @param source the node that fired the job, or enqueued it without running jobs of this task
   *     itself; null otherwise
   * @param parent the job whose handler enqueued it; null otherwise
   * @param step the step of a run that it executes; null otherwise
   */
  public record Stamp(
      @Nullable String stack,
      @Nullable String source,
      @Nullable JobId parent,
      @Nullable StepRef step) {
    public static final Stamp NONE = new Stamp(null, null);

    public Stamp(@Nullable String stack, @Nullable String source, @Nullable JobId parent) {
      this(stack, source, parent, null);
    }

    public Stamp(@Nullable String stack, @Nullable String source) {
      this(stack, source, null, null);
    }
  }

  /** Returns whether a job with this id may exist, live or ended. */
  public boolean mayExist() {
    return idUse != IdUse.FRESH;
  }

  /** Returns whether this call follows one whose reply was lost. */
  public boolean isRepeat() {
    return idUse == IdUse.REPEATED;
  }

  /**
   * Returns the number of characters of the payload, policy and tags, as a measure of the size of
   * the statement that writes them.
   */
  public long size() {
    return content.size();
  }

  /**
   * Returns the same job, to be sent again because the first reply was lost. A chosen id stays
   * {@code CHOSEN}: each attempt looks for it among ended jobs, so an attempt that arrives late
   * does no harm.
   */
  public NewJob repeated() {
    return idUse == IdUse.CHOSEN ? this : new NewJob(id, IdUse.REPEATED, when, unique, content);
  }

  /** Returns the same job with another due time, and with a unique key for that time. */
  public NewJob at(When due, UniqueKey key) {
    return new NewJob(id, idUse, due, key, content);
  }
}
