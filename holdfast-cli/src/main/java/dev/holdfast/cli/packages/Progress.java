package dev.holdfast.cli.packages;

import dev.holdfast.cli.connect.WatchOptions;
import dev.holdfast.cli.print.Bar;
import java.io.PrintWriter;

/** A bar that shows how much of a file has been sent, if there is a terminal to show it. */
final class Progress {
  private final PrintWriter err;
  private final long total;
  private final boolean shows;
  private String last = "";

  Progress(PrintWriter err, long total) {
    this(err, total, WatchOptions.isTerminal());
  }

  Progress(PrintWriter err, long total, boolean shows) {
    this.err = err;
    this.total = total;
    this.shows = shows;
  }

  /** Shows how many bytes have been sent. */
  synchronized void sent(long bytes) {
    String bar = bytes < total ? "Sending " + Bar.of(bytes, total) : "Checking on the server ...";
    if (shows && !bar.equals(last)) {
      // The text before may be longer.
      err.print("\r%-60s".formatted(bar));
      err.flush();
      last = bar;
    }
  }

  /** Removes the bar. */
  synchronized void end() {
    if (!last.isEmpty()) {
      err.print("\r%-60s\r".formatted(""));
      err.flush();
    }
  }
}
