package dev.holdfast.testkit.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a run does not end, however much virtual time passes, or a handler blocks the thread
 * of the test. The message says what everything is waiting for. The cause is the last exception of
 * a handler, or shows where a handler blocked.
 */
public final class StuckRunError extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final transient List<String> waiting;

  StuckRunError(String what, List<String> waiting, @Nullable Throwable cause) {
    super(
        waiting.isEmpty()
            ? what
            : what + System.lineSeparator() + String.join(System.lineSeparator(), bullets(waiting)),
        cause);
    this.waiting = List.copyOf(waiting);
  }

  private static List<String> bullets(List<String> lines) {
    return lines.stream().map(line -> "  - " + line).toList();
  }

  /** Returns what the open runs and jobs wait for, one line for each step. */
  public List<String> waiting() {
    return waiting;
  }
}
