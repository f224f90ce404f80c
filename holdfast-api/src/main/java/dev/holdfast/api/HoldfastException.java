package dev.holdfast.api;

import org.jspecify.annotations.Nullable;

/** Anything that Holdfast reports as gone wrong and that is not plainly a wrong argument. */
public class HoldfastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HoldfastException(String message) {
    super(message);
  }

  public HoldfastException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
