package dev.holdfast.engine.rule;

import java.util.regex.Pattern;

/**
 * A glob over task names. {@code *} matches any characters inside a segment, {@code **} anything
 * across segments: {@code ml::*} matches {@code ml::train} but not {@code ml::train::gpu}; {@code
 * **::batch::*} matches {@code a::b::batch::c} and {@code batch::c}; {@code heavy_*} and {@code
 * *_gpu} match prefixes and suffixes of a segment.
 *
 * @param glob the pattern as written
 * @param regex the equivalent regular expression
 */
public record TaskPattern(String glob, Pattern regex) {
  private static final Pattern VALID = Pattern.compile("[a-z0-9_*-]+(::[a-z0-9_*-]+)*");

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if the pattern is not valid
   */
  public static TaskPattern of(String glob) {
    if (!VALID.matcher(glob).matches() || glob.contains("***")) {
      throw new IllegalArgumentException(
          "Task pattern '%s' is not valid: use segments of a-z, 0-9, _, -, * joined by '::', such as ml::*, **::batch::* or heavy_*."
              .formatted(glob));
    }
    return new TaskPattern(glob, Pattern.compile(regexOf(glob)));
  }

  public boolean matches(String task) {
    return regex.matcher(task).matches();
  }

  private static String regexOf(String glob) {
    StringBuilder regex = new StringBuilder();
    int at = 0;
    while (at < glob.length()) {
      if (glob.startsWith("**::", at) && startsSegment(glob, at)) {
        // A whole ** segment in front may also match no segment at all.
        regex.append("(?:.+::)?");
        at += 4;
      } else if (glob.startsWith("**", at)) {
        regex.append(".*");
        at += 2;
      } else if (glob.charAt(at) == '*') {
        regex.append("[^:]*");
        at++;
      } else {
        regex.append(Pattern.quote(String.valueOf(glob.charAt(at))));
        at++;
      }
    }
    return regex.toString();
  }

  private static boolean startsSegment(String glob, int at) {
    return at == 0 || glob.startsWith("::", at - 2);
  }
}
