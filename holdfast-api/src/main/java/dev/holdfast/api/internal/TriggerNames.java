package dev.holdfast.api.internal;

import java.util.regex.Pattern;

/** Checks names of events, triggers and payload fields. */
public final class TriggerNames {
  private static final Pattern DOTTED = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
  private static final int LONGEST_EVENT = 128;
  private static final int LONGEST_ID = 64;
  private static final int LONGEST_FIELD = 128;

  private TriggerNames() {}

  /** Returns the name of an event, or throws an exception that says what is wrong with it. */
  public static String event(String name) {
    return dotted("Event name", name, LONGEST_EVENT, "resource.updated");
  }

  /** Returns the id of a trigger, or throws an exception that says what is wrong with it. */
  public static String id(String id) {
    return dotted("Trigger id", id, LONGEST_ID, "reindex-on-update");
  }

  private static String dotted(String what, String name, int longest, String example) {
    if (!DOTTED.matcher(name).matches() || name.length() > longest) {
      throw new IllegalArgumentException(
          "%s '%s' is not valid: use words of a-z, 0-9, _ and - joined by '.', at most %d characters, such as %s."
              .formatted(what, name, longest, example));
    }
    return name;
  }

  /**
   * Returns the path of a payload field, or throws an exception that says what is wrong with it.
   */
  public static String field(String path) {
    boolean valid =
        !path.isEmpty()
            && path.length() <= LONGEST_FIELD
            && path.indexOf('\0') < 0
            && !path.startsWith(".")
            && !path.endsWith(".")
            && !path.contains("..");
    if (!valid) {
      throw new IllegalArgumentException(
          "Field '%s' is not valid: give the name of a field of the payload, or a path such as address.city, at most %d characters."
              .formatted(path, LONGEST_FIELD));
    }
    return Names.storable("Field", path);
  }
}
