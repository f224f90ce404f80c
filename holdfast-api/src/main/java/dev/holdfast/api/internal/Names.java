package dev.holdfast.api.internal;

import java.util.Set;
import java.util.regex.Pattern;

/** Checks names, keys and other texts. */
public final class Names {
  private static final Pattern TASK = Pattern.compile("[a-z0-9_-]+(::[a-z0-9_-]+)*");
  private static final Pattern QUEUE = Pattern.compile("[a-z0-9_-]+");
  private static final int LONGEST_TASK = 128;
  private static final int LONGEST_QUEUE = 64;
  private static final int LONGEST_TEXT = 256;

  private Names() {}

  /** Returns the task name, or throws an exception that says what is wrong with it. */
  public static String task(String name) {
    if (!TASK.matcher(name).matches() || name.length() > LONGEST_TASK) {
      throw new IllegalArgumentException(
          "Task name '%s' is not valid: use segments of a-z, 0-9, _ and - joined by '::', at most %d characters, such as email::send."
              .formatted(name, LONGEST_TASK));
    }
    return name;
  }

  /** Returns the queue name, or throws an exception that says what is wrong with it. */
  public static String queue(String name) {
    if (!QUEUE.matcher(name).matches() || name.length() > LONGEST_QUEUE) {
      throw new IllegalArgumentException(
          "Queue name '%s' is not valid: use a-z, 0-9, _ and -, at most %d characters, such as mail."
              .formatted(name, LONGEST_QUEUE));
    }
    return name;
  }

  /** Returns the name of a workflow, or throws an exception that says what is wrong with it. */
  public static String workflow(String name) {
    if (!TASK.matcher(name).matches() || name.length() > LONGEST_TASK) {
      throw new IllegalArgumentException(
          "Workflow name '%s' is not valid: use segments of a-z, 0-9, _ and - joined by '::', at most %d characters, such as orders::fulfil."
              .formatted(name, LONGEST_TASK));
    }
    return name;
  }

  /** Fields of the context of a run that say what started it, so that no step writes them. */
  public static final Set<String> RESERVED_FIELDS = Set.of("run", "schedule", "trigger", "event");

  /** Returns the name of a step, or throws an exception that says what is wrong with it. */
  public static String step(String name) {
    return word("Step name", name, "charge");
  }

  /** Returns the name of a signal, or throws an exception that says what is wrong with it. */
  public static String signal(String name) {
    return word("Signal name", name, "approved");
  }

  private static String word(String what, String name, String example) {
    if (!QUEUE.matcher(name).matches() || name.length() > LONGEST_QUEUE) {
      throw new IllegalArgumentException(
          "%s '%s' is not valid: use a-z, 0-9, _ and -, at most %d characters, such as %s."
              .formatted(what, name, LONGEST_QUEUE, example));
    }
    return name;
  }

  /** Returns a tag or key, or throws an exception that says what is wrong with it. */
  public static String text(String what, String value) {
    if (value.isBlank()
        || value.length() > LONGEST_TEXT
        || value.indexOf('\0') >= 0
        || hasHalfCharacter(value)) {
      throw new IllegalArgumentException(
          "%s '%s' is not valid: give 1 to %d characters, not blank, without NUL and without half of a surrogate pair (cut texts between characters, not inside one)."
              .formatted(what, value, LONGEST_TEXT));
    }
    return value;
  }

  /**
   * Returns a text that the database stores unchanged, or throws an exception that says what is
   * wrong with it.
   */
  public static String storable(String what, String value) {
    if (value.indexOf('\0') >= 0 || hasHalfCharacter(value)) {
      throw new IllegalArgumentException(
          "%s '%s' is not valid: remove NUL and halves of surrogate pairs (cut texts between characters, not inside one)."
              .formatted(what, value));
    }
    return value;
  }

  /**
   * Half of a surrogate pair cannot be encoded in UTF-8: a database would store another character.
   */
  private static boolean hasHalfCharacter(String value) {
    return value
        .codePoints()
        .anyMatch(point -> point <= 0xFFFF && Character.isSurrogate((char) point));
  }
}
