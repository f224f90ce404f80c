package dev.holdfast.server.worker;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals.EntryKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** How an attempt ended, as a worker reports it. */
public sealed interface Reported {

  /** Returns the claim under which the job was run. */
  ClaimId claim();

  /**
   * It succeeded.
   *
   * @param result null for none
   * @param keepResult how long to keep the result; null for as long as the job says
   */
  record Succeeded(ClaimId claim, @Nullable JsonNode result, @Nullable Duration keepResult)
      implements Reported {}

  /**
   * It failed.
   *
   * @param retryIn when to try again if the worker decides that; null to let the retry policy of
   *     the job decide
   * @param isFinal whether the worker decides that it is not tried again
   */
  record Failed(ClaimId claim, Failure failure, @Nullable Duration retryIn, boolean isFinal)
      implements Reported {}

  /** What went wrong. */
  record Failure(String code, String message, @Nullable String type, @Nullable String stackTrace) {}

  /**
   * It cannot run yet; the attempt does not count.
   *
   * @param ran whether its code has run
   */
  record Later(ClaimId claim, Duration delay, boolean ran) implements Reported {}

  /**
   * It waits; the attempt does not count.
   *
   * @param key the key of its step, whose name is that of the signal if it waits for one
   * @param wake how long it waits at most
   * @param signal the name of the signal that ends the wait; null for none
   */
  record Parked(ClaimId claim, EntryKey key, Duration wake, @Nullable String signal)
      implements Reported {}

  /** It was stopped because its cancellation was requested. */
  record Cancelled(ClaimId claim) implements Reported {}

  /**
   * It is handed back; the attempt does not count.
   *
   * @param ran whether its code may have run
   */
  record HandedBack(ClaimId claim, boolean ran) implements Reported {}

  /** What became of a report. */
  enum Result {
    /** It is recorded: by this call, or by an earlier one whose reply was lost. */
    RECORDED,
    /** The job would have run again, but its cancellation was requested: it ended CANCELLED. */
    CANCELLED,
    /** The worker no longer holds the job under this token; nothing was changed. */
    LOST,
    /** The result is too large; nothing was changed, and the worker still holds the job. */
    TOO_LARGE
  }
}
