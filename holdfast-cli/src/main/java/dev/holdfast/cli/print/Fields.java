package dev.holdfast.cli.print;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Prints the fields of one object, one per line.
 *
 * @param width the width of the names
 */
public record Fields(PrintWriter out, int width) {
  private static final int USUAL = 9;

  public Fields(PrintWriter out) {
    this(out, USUAL);
  }

  /** Prints one field; prints nothing if the value is null. */
  public void line(String name, @Nullable Object value) {
    if (value != null) {
      out.printf("%-" + width + "s %s%n", name, value);
    }
  }
}
