package dev.holdfast.cli;

/** Makes one sentence of whatever an exception says. */
final class ErrorText {

  private ErrorText() {}

  /** The first line of what it says, or what it is, ended by a full stop. */
  static String of(Exception failure) {
    String message = failure.getMessage();
    String text = message == null || message.isBlank() ? failure.toString() : message;
    String line = text.strip().lines().findFirst().orElse("").strip();
    return line.matches(".*[.?!]") ? line : line + ".";
  }
}
