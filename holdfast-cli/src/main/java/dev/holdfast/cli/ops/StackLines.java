package dev.holdfast.cli.ops;

import java.util.ArrayList;
import java.util.List;

/** Shortens a stack trace to the lines that are useful to a user. */
final class StackLines {
  private static final String OURS = "at dev.holdfast.engine.";

  private StackLines() {}

  /**
   * Omits the lines before the first frame, which repeat the type and the message, and in each part
   * the frames from the engine's first frame on, which are the same for every handler.
   */
  static List<String> of(String stackTrace) {
    List<String> lines = new ArrayList<>();
    boolean frames = false;
    boolean ours = false;
    for (String line : stackTrace.lines().map(String::strip).toList()) {
      boolean frame = line.startsWith("at ");
      frames |= frame;
      ours = frame ? ours || line.startsWith(OURS) : ours && line.startsWith("... ");
      if (frames && !ours) {
        lines.add(line);
      }
    }
    return lines;
  }
}
