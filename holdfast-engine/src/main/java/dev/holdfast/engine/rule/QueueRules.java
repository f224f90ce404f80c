package dev.holdfast.engine.rule;

import dev.holdfast.engine.store.QueueStore;
import java.util.Map;

/** The rules of queues as this node last read them. */
public final class QueueRules {
  private volatile Map<String, QueueStore.Rule> rules = Map.of();

  public QueueStore.Rule of(String queue) {
    return rules.getOrDefault(queue, QueueStore.Rule.NONE);
  }

  /**
   * Replaces the rules with those from the store.
   *
   * @return whether anything changed
   */
  public boolean update(Map<String, QueueStore.Rule> fresh) {
    boolean changed = !fresh.equals(rules);
    rules = Map.copyOf(fresh);
    return changed;
  }
}
