package dev.holdfast.engine.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended, as reported by the node that holds the job. */
public sealed interface Finish {

  ClaimId claim();

  /**
   * The attempt succeeded.
   *
   * @param result the encoded result, null for none
   * @param keepResult how long to keep the result; null for as long as history is kept
   * @param plain whether the job is known to execute no step of a run, so that no run needs to be
   *     told
   */
  record Succeeded(
      ClaimId claim, @Nullable String result, @Nullable Duration keepResult, boolean plain)
      implements Finish {
    /** Creates the success of a job that may execute a step of a run. */
    public Succeeded(ClaimId claim, @Nullable String result, @Nullable Duration keepResult) {
      this(claim, result, keepResult, false);
    }
  }

  /** The attempt failed, and the job is retried after a delay. */
  record RetryIn(ClaimId claim, Duration delay, Failure failure) implements Finish {}

  /** The attempt failed, and the job is dead-lettered. */
  record Dead(ClaimId claim, Failure failure) implements Finish {}

  /**
   * The job cannot run yet: it is tried again after a delay, and this attempt does not count.
   *
   * @param ran whether its code has run: a job that never started keeps its start-by time
   */
  record Later(ClaimId claim, Duration delay, boolean ran) implements Finish {
    /** Creates the outcome of a handler that asked to run later. */
    public Later(ClaimId held, Duration delay) {
      this(held, delay, true);
    }
  }

  /**
   * The handler asked to wait: the entry is added to the journal of the job, and the job becomes
   * WAITING without using an attempt. It becomes READY when the time has passed, or when the signal
   * is there.
   *
   * @param entry records that the job waited
   * @param wake how long to wait
   * @param signal the name of the signal that ends the wait; null for none
   */
  record Parked(ClaimId claim, Journals.JournalEntry entry, Duration wake, @Nullable String signal)
      implements Finish {}

  /** The attempt was stopped because its cancellation was requested. */
  record Cancelled(ClaimId claim) implements Finish {}

  /**
   * What went wrong, without the times, which the store adds.
   *
   * @param node the id of the node on which the attempt failed
   */
  record Failure(
      int attempt,
      String code,
      @Nullable String type,
      String message,
      @Nullable String stackTrace,
      String node) {}
}
