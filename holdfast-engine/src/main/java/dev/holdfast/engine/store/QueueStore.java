package dev.holdfast.engine.store;

import dev.holdfast.api.job.QueueStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Settings and state of queues. */
public interface QueueStore {

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

  /** How many jobs of a queue are counted at most. */
  int MOST_COUNTED = 100_000;

  /**
   * Every queue that has jobs, settings or a live node, by name. Of more than {@link #MOST_COUNTED}
   * scheduled or held jobs in all it reads that number only, so that a queue that has no others may
   * be missing.
   */
  List<QueueStatus> list();

  /**
   * What was measured of one queue.
   *
   * @param ready how many jobs wait; counting stops at {@link #MOST_COUNTED}
   * @param oldestReady how long the longest-waiting of these has waited
   */
  record Depth(long ready, Duration oldestReady) {}

  /**
   * A measurement of all queues.
   *
   * @param depths by queue; a queue without an entry is empty
   * @param unknownTasks ready jobs of tasks that no live node has a handler for, by task
   * @param nodes how many nodes live
   * @param serving by queue, how many of them serve it
   * @param counted whether this call counted, instead of reading what another one counted
   */
  record Sample(
      Map<String, Depth> depths,
      Map<String, Long> unknownTasks,
      int nodes,
      Map<String, Integer> serving,
      boolean counted) {
    public Sample {
      depths = Map.copyOf(depths);
      unknownTasks = Map.copyOf(unknownTasks);
      serving = Map.copyOf(serving);
    }
  }

  /**
   * Get the latest measurement, or make a new one if that is older than the given time. One call in
   * the whole cluster measures at a time.
   *
   * @param queues the queues whose depth the caller wants
   * @return empty if another node is measuring
   */
  Optional<Sample> sample(Set<String> queues, Duration freshFor);

  /** Whether a live node serves this queue; settings alone run no job. */
  boolean isDeclared(String queue);
}
