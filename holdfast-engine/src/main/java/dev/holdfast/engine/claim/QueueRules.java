package dev.holdfast.engine.claim;

import dev.holdfast.engine.store.QueueBook;
import java.util.Map;

/** The rules of queues as this node last heard of them. */
public final class QueueRules {
  private volatile Map<String, QueueBook.Rule> rules = Map.of();

  public QueueBook.Rule of(String queue) {
    return rules.getOrDefault(queue, QueueBook.Rule.NONE);
  }

  /**
   * Take over what the store says.
   *
   * @return whether anything changed
   */
  public boolean update(Map<String, QueueBook.Rule> fresh) {
    boolean changed = !fresh.equals(rules);
    rules = Map.copyOf(fresh);
    return changed;
  }
}
