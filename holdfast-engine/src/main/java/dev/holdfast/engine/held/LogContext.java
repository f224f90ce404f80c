package dev.holdfast.engine.held;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What every log line of a node's threads carries: who the node is and, where a job runs, which.
 *
 * @param node the id of the node
 * @param name its readable name
 */
public record LogContext(String node, @Nullable String name) {
  /** The keys of the mapped diagnostic context. */
  public static final String NODE = "holdfast.node";

  public static final String NAME = "holdfast.name";
  public static final String JOB = "holdfast.job";
  public static final String TASK = "holdfast.task";

  /** Let the current thread speak for this node. */
  public void enter() {
    MDC.put(NODE, node);
    if (name != null) {
      MDC.put(NAME, name);
    }
  }

  /** Ends what a thread was borrowed for. */
  public interface Borrowed extends AutoCloseable {
    @Override
    void close();
  }

  /** Let a thread of somebody else's speak for this node until the answer is closed. */
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

  /** Let the current thread speak for a job of this node. */
  public void enter(HeldJob heldJob) {
    enter();
    MDC.put(JOB, heldJob.job().id().toString());
    MDC.put(TASK, heldJob.job().task());
  }

  /** Let the current thread speak for nobody. */
  public void leave() {
    MDC.remove(NODE);
    MDC.remove(NAME);
    MDC.remove(JOB);
    MDC.remove(TASK);
  }
}
