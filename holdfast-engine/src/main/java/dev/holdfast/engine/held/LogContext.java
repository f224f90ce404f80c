package dev.holdfast.engine.held;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The MDC entries of all log lines of a node's threads: the node and, while a job runs, the job.
 *
 * @param node the id of the node
 * @param name its display name
 */
public record LogContext(String node, @Nullable String name) {
  /** The keys of the mapped diagnostic context. */
  public static final String NODE = "holdfast.node";

  public static final String NAME = "holdfast.name";
  public static final String JOB = "holdfast.job";
  public static final String TASK = "holdfast.task";

  /** Adds the node to the log lines of the current thread. */
  public void enter() {
    MDC.put(NODE, node);
    if (name != null) {
      MDC.put(NAME, name);
    }
  }

  /** Restores the log context of a borrowed thread. */
  public interface Borrowed extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Adds the node to the log lines of a thread that does not belong to the node, until the result
   * is closed.
   */
  public Borrowed borrow() {
    String nodeBefore = MDC.get(NODE);
    String nameBefore = MDC.get(NAME);
    enter();
    return () -> {
      restore(NODE, nodeBefore);
      restore(NAME, nameBefore);
    };
  }

  private static void restore(String key, @Nullable String before) {
    if (before == null) {
      MDC.remove(key);
    } else {
      MDC.put(key, before);
    }
  }

  /** Adds the node and this job to the log lines of the current thread. */
  public void enter(HeldJob heldJob) {
    enter();
    MDC.put(JOB, heldJob.job().id().toString());
    MDC.put(TASK, heldJob.job().task());
  }

  /** Removes node and job from the log lines of the current thread. */
  public void leave() {
    MDC.remove(NODE);
    MDC.remove(NAME);
    MDC.remove(JOB);
    MDC.remove(TASK);
  }
}
