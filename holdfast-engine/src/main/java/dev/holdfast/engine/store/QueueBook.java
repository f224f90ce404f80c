package dev.holdfast.engine.store;

import dev.holdfast.api.job.QueueStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings and state of queues. */
public interface QueueBook {

  /**
   * What a Claimer must heed.
   *
   * @param paused whether to leave the queue alone
   * @param limit how many of its jobs the cluster may hold; null for any number
   */
  record Rule(boolean paused, @Nullable Integer limit) {
    /** No rule: claim freely. */
    public static final Rule NONE = new Rule(false, null);
  }

  void pause(String queue, boolean paused);

  void limit(String queue, @Nullable Integer most);

  /** The rules in force, by queue; a queue without an entry has none. */
  Map<String, Rule> rules();

  /** Every queue that has jobs, settings or a live node, by name. */
  List<QueueStatus> list();

  /** Whether a live node serves this queue; settings alone run no job. */
  boolean isDeclared(String queue);
}
