package dev.holdfast.cli.print;

/** A bar that shows how much is done. */
public final class Bar {
  private static final int WIDTH = 30;

  private Bar() {}

  /** Returns a bar such as {@code [######............] 40 %}; a total below 1 counts as unknown. */
  public static String of(long done, long total) {
    if (total < 1) {
      return "[%s]".formatted("?".repeat(WIDTH));
    }
    double part = Math.clamp((double) done / total, 0, 1);
    int full = (int) Math.floor(part * WIDTH);
    return "[%s%s] %d %%"
        .formatted("#".repeat(full), ".".repeat(WIDTH - full), (int) Math.floor(part * 100));
  }
}
