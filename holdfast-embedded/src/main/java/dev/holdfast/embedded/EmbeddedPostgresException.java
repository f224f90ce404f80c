package dev.holdfast.embedded;

import org.jspecify.annotations.Nullable;

/** Says what the embedded server could not do, with which value, and what would help. */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
