package dev.holdfast.testkit.node;

/** Thrown when {@link TestNode#drain} has run more attempts than it may. */
public final class TooManyAttemptsException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  TooManyAttemptsException(int ran) {
    super(
        "drain() has run %d attempts, one more than it may: check for a task that enqueues itself or postpones itself with a delay of zero, or pass a higher limit to drain(...)."
            .formatted(ran));
  }
}
