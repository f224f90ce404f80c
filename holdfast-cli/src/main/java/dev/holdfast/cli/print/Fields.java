package dev.holdfast.cli.print;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Names and values of one thing, a line each. */
public record Fields(PrintWriter out) {

  /** Prints one line; nothing where there is no value. */
  public void line(String name, @Nullable Object value) {
    if (value != null) {
      out.printf("%-9s %s%n", name, value);
    }
  }
}
