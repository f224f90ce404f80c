package dev.holdfast.cli.ops;

import java.util.ArrayList;
import java.util.List;

/** The lines of a stack trace that tell a user something new. */
final class StackLines {
  private static final String OURS = "at dev.holdfast.engine.";

  private StackLines() {}

  /**
   * Leaves out what stands before the first frame, which is the type and the message, and in each
   * part the frames from the engine down: it calls every handler, always in the same way.
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
