package dev.holdfast.cli.print;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Prints the fields of one object, one per line. */
public record Fields(PrintWriter out) {

  /** Prints one field; prints nothing if the value is null. */
  public void line(String name, @Nullable Object value) {
    if (value != null) {
      out.printf("%-9s %s%n", name, value);
    }
  }
}
