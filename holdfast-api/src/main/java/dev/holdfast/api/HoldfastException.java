package dev.holdfast.api;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of the exceptions that Holdfast throws, except for invalid arguments, which are
 * reported with an {@link IllegalArgumentException}.
 */
public class HoldfastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception without a cause. */
  public HoldfastException(String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  public HoldfastException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
