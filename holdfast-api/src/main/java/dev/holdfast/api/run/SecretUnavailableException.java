package dev.holdfast.api.run;

import dev.holdfast.api.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a handler asks for a secret that it cannot have: there is none with this name, it
 * cannot be decrypted, or the node has no secrets. The message says which, and never contains a
 * value.
 */
public final class SecretUnavailableException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception without a cause. */
  public SecretUnavailableException(String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  public SecretUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
