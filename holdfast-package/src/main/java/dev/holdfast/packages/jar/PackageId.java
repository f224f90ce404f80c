package dev.holdfast.packages.jar;

import java.util.regex.Pattern;

/** The name and version of a package. */
public record PackageId(String name, String version) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");
  private static final Pattern VERSION = Pattern.compile("[0-9A-Za-z][0-9A-Za-z._+-]{0,39}");

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public PackageId {
    checkName(name);
    if (!VERSION.matcher(version).matches()) {
      throw new IllegalArgumentException(
          "Package version '%s' is not valid: use 1 to 40 letters, digits and . _ + -, starting with a letter or digit, such as 1.2.0."
              .formatted(shortened(version)));
    }
  }

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static String checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "Package name '%s' is not valid: use 1 to 40 characters of a-z, 0-9 and -, starting with a letter."
              .formatted(shortened(name)));
    }
    return name;
  }

  private static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }

  /**
   * Parses {@code name@version}.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static PackageId parse(String text) {
    int at = text.indexOf('@');
    if (at < 0) {
      throw new IllegalArgumentException(
          "'%s' is not a package: give NAME@VERSION, such as orders@1.2.0."
              .formatted(shortened(text)));
    }
    return new PackageId(text.substring(0, at), text.substring(at + 1));
  }

  /** Returns {@code name@version}, which is also the stack of its jobs and runs. */
  @Override
  public String toString() {
    return name + "@" + version;
  }
}
