package dev.holdfast.api.codec;

import dev.holdfast.api.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A payload or result that could not be written or read. */
public final class CodecException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public CodecException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
