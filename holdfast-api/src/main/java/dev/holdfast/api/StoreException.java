package dev.holdfast.api;

import org.jspecify.annotations.Nullable;

/**
 * The database did not do what it was asked.
 *
 * <p>{@link #outcome()} says what is known: a request that was {@link Outcome#REFUSED} changed
 * nothing, one that is {@link Outcome#UNKNOWN} may have been carried out although its answer was
 * lost. Only repeatable requests may be sent again after the latter.
 */
public sealed class StoreException extends HoldfastException permits KeyLockedException {
  private static final long serialVersionUID = 1L;

  /** What became of the request. */
  public enum Outcome {
    /** The database said no; nothing was changed, and asking again gives the same answer. */
    REFUSED,
    /** Nothing was changed; asking again may well succeed. */
    RETRYABLE,
    /** The connection broke before the answer came: the request may have been carried out. */
    UNKNOWN
  }

  private final Outcome outcome;

  public StoreException(Outcome outcome, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  public Outcome outcome() {
    return outcome;
  }
}
