package dev.holdfast.cli;

/** Turns the message of an exception into one sentence. */
final class ErrorText {

  private ErrorText() {}

  /** Returns the first line of the message, or of {@code toString()}, ending with a full stop. */
  static String of(Exception failure) {
    String message = failure.getMessage();
    String text = message == null || message.isBlank() ? failure.toString() : message;
    String line = text.strip().lines().findFirst().orElse("").strip();
    return line.matches(".*[.?!]") ? line : line + ".";
  }
}
