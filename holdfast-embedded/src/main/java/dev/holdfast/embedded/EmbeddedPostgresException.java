package dev.holdfast.embedded;

import org.jspecify.annotations.Nullable;

/** Thrown when the embedded server fails. The message names the cause and the remedy. */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
