package dev.holdfast.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the database fails, refuses a request or does not respond in time.
 *
 * <p>{@link #outcome()} says what is known about the request: after {@link Outcome#REFUSED} and
 * {@link Outcome#RETRYABLE} nothing was changed; after {@link Outcome#UNKNOWN} the request may have
 * been executed although its result was lost. After the latter, send only repeatable requests
 * again.
 */
public sealed class StoreException extends HoldfastException permits KeyLockedException {
  private static final long serialVersionUID = 1L;

  /** What is known about a failed request. */
  public enum Outcome {
    /** The database refused the request: nothing was changed, and a retry fails in the same way. */
    REFUSED,
    /** Nothing was changed, and a retry may succeed. */
    RETRYABLE,
    /** The connection broke before the result arrived: the request may have been executed. */
    UNKNOWN
  }

  private final Outcome outcome;

  /** Creates an exception for a request with the given outcome. */
  public StoreException(Outcome outcome, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /** Returns what is known about the request. */
  public Outcome outcome() {
    return outcome;
  }
}
