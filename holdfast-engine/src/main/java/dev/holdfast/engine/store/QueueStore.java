package dev.holdfast.engine.store;

import dev.holdfast.api.job.QueueStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores the settings and reads the state of queues. */
public interface QueueStore {

  /**
   * The rule of a queue, which claims must follow.
   *
   * @param paused whether jobs of the queue are not claimed
   * @param limit how many of its jobs the cluster may hold; null for no limit
   */
  record Rule(boolean paused, @Nullable Integer limit) {
    /** No rule: claim without restriction. */
    public static final Rule NONE = new Rule(false, null);
  }

  /**
   * Pauses a queue. A paused queue stays paused since the same time.
   *
   * @param reason why; null to leave the reason of a paused queue as it is
   */
  void pause(String queue, @Nullable String reason);

  /** Pauses a queue without a reason. */
  default void pause(String queue) {
    pause(queue, null);
  }

  /** Resumes a queue. */
  void resume(String queue);

  /** Sets the cluster-wide limit of a queue; null removes it. */
  void limit(String queue, @Nullable Integer most);

  /** Returns the rules in force, by queue; a queue without an entry has none. */
  Map<String, Rule> rules();

  /** The number of jobs of a queue at which counting stops. */
  int MOST_COUNTED = 100_000;

  /**
   * Lists every queue that has jobs, settings or a live node, by name. If there are more than
   * {@link #MOST_COUNTED} scheduled or held jobs in total, it reads only that number, so a queue
   * that has only such jobs may be missing.
   */
  List<QueueStatus> list();

  /**
   * The depth of one queue when it was measured.
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
   * @param nodes how many nodes are alive
   * @param serving by queue, how many of them serve it
   * @param strandedRuns how many open runs no live node can continue, up to a bound
   * @param counted whether this call made the measurement, instead of reading that of another call
   */
  record Sample(
      Map<String, Depth> depths,
      Map<String, Long> unknownTasks,
      int nodes,
      Map<String, Integer> serving,
      long strandedRuns,
      boolean counted) {
    public Sample {
      depths = Map.copyOf(depths);
      unknownTasks = Map.copyOf(unknownTasks);
      serving = Map.copyOf(serving);
    }
  }

  /**
   * Returns the latest measurement, or makes a new one if that is older than the given time. One
   * call in the whole cluster measures at a time.
   *
   * @param queues the queues whose depth the caller needs
   * @return empty if another node is measuring
   */
  Optional<Sample> sample(Set<String> queues, Duration freshFor);

  /**
   * Returns the depths of all queues that were not empty at the latest measurement, or makes a new
   * one as {@link #sample} does.
   *
   * @return empty if another node is measuring
   */
  default Optional<Map<String, Depth>> depths(Duration freshFor) {
    Set<String> queues = list().stream().map(QueueStatus::name).collect(Collectors.toSet());
    return sample(queues, freshFor).map(Sample::depths);
  }

  /**
   * Returns whether a live node serves this queue; a queue that only has settings is not declared,
   * since no node runs its jobs.
   */
  boolean isDeclared(String queue);
}
