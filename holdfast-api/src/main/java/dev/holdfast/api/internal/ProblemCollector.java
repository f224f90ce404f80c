package dev.holdfast.api.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets a program that only checks definitions see the problems of all of them. Without it, the
 * first definition that is not valid throws, and those after it are never built. While a thread
 * collects, a definition that is not valid is reported here and built nevertheless; it must not be
 * used for anything else.
 */
public final class ProblemCollector {
  private static final ThreadLocal<@Nullable List<IllegalArgumentException>> CURRENT =
      new ThreadLocal<>();

  private ProblemCollector() {}

  /** Runs an action on this thread and returns the problems of what it defines. */
  public static List<IllegalArgumentException> during(Runnable action) {
    List<IllegalArgumentException> before = CURRENT.get();
    List<IllegalArgumentException> found = new ArrayList<>();
    CURRENT.set(found);
    try {
      action.run();
    } finally {
      if (before == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(before);
      }
    }
    return found;
  }

  /**
   * Reports a problem.
   *
   * @throws IllegalArgumentException the problem, unless this thread collects
   */
  public static void report(IllegalArgumentException problem) {
    List<IllegalArgumentException> found = CURRENT.get();
    if (found == null) {
      throw problem;
    }
    found.add(problem);
  }
}
