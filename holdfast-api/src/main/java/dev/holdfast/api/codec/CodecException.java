package dev.holdfast.api.codec;

import dev.holdfast.api.HoldfastException;
import org.jspecify.annotations.Nullable;

/** Thrown when a payload or result cannot be encoded or decoded. */
public final class CodecException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public CodecException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
