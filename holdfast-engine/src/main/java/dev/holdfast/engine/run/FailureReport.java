package dev.holdfast.engine.run;

import dev.holdfast.engine.codec.Redactor;
import dev.holdfast.engine.store.Finish;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/**
 * Converts an exception to the form in which it is stored: readable, truncated, and without
 * characters that a database rejects.
 */
public final class FailureReport {
  private static final int LONGEST_MESSAGE = 2_000;
  private static final int LONGEST_STACK = 4_000;

  private FailureReport() {}

  static Finish.Failure of(int attempt, String code, Throwable thrown, String node) {
    return of(attempt, code, thrown, node, new Redactor());
  }

  /** Hides secrets before texts are truncated: the rest of a value could not be recognised. */
  static Finish.Failure of(
      int attempt, String code, Throwable thrown, String node, Redactor redactor) {
    return new Finish.Failure(
        attempt,
        code,
        thrown.getClass().getName(),
        clean(redactor.redact(messageOf(thrown)), LONGEST_MESSAGE),
        clean(redactor.redactOrNull(stackOf(thrown)), LONGEST_STACK),
        node);
  }

  public static Finish.Failure of(int attempt, String code, String message, String node) {
    return new Finish.Failure(attempt, code, null, clean(message, LONGEST_MESSAGE), null, node);
  }

  /** Returns a failure that another program reports: its texts are shortened as usual. */
  public static Finish.Failure reported(Finish.Failure failure) {
    String stack = failure.stackTrace();
    String type = failure.type();
    return new Finish.Failure(
        failure.attempt(),
        failure.code(),
        type == null ? null : clean(type, LONGEST_MESSAGE),
        clean(failure.message(), LONGEST_MESSAGE),
        stack == null ? null : clean(stack, LONGEST_STACK),
        failure.node());
  }

  private static String messageOf(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message != null ? message : thrown.getClass().getSimpleName();
    } catch (Throwable brokenMessage) {
      return thrown.getClass().getSimpleName() + " (its message could not be read)";
    }
  }

  static @Nullable String stackOf(Throwable thrown) {
    try {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      return text.toString();
    } catch (Throwable brokenStack) {
      return null;
    }
  }

  private static String clean(@Nullable String text, int longest) {
    if (text == null) {
      return "";
    }
    String whole = text.replace('\0', '\uFFFD');
    return whole.length() <= longest ? whole : whole.substring(0, longest) + " ...";
  }
}
