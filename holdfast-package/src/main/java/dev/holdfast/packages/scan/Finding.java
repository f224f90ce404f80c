package dev.holdfast.packages.scan;

import org.jspecify.annotations.Nullable;

/**
 * Something that a check found.
 *
 * @param subject what it is about, such as {@code workflow orders::fulfil}
 * @param message what is wrong and what to do, in one or more sentences
 * @param place where it was found, such as a line of a source file; null if that is not known
 */
public record Finding(Severity severity, String subject, String message, @Nullable String place) {

  /** How bad it is. */
  public enum Severity {
    /** It will not work. */
    ERROR,
    /** It may not work. */
    WARNING
  }

  public static Finding error(String subject, String message, @Nullable String place) {
    return new Finding(Severity.ERROR, subject, message, place);
  }

  public static Finding warning(String subject, String message, @Nullable String place) {
    return new Finding(Severity.WARNING, subject, message, place);
  }
}
