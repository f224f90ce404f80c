package dev.holdfast.embedded;

/** Says what the embedded server could not do, with which value, and what would help. */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, Throwable cause) {
    super(message, cause);
  }
}
