package dev.holdfast.postgres.claim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What is remembered about claims that look in the same places, for the few lists of tasks that
 * were last claimed from each queue. Each task whose breaker opens or closes makes another list, so
 * without a bound there would be more and more of them. What is forgotten is learnt again.
 */
final class LaneMemory<T> {
  static final int MOST_LISTS = 8;

  private final Supplier<T> fresh;
  private final Map<String, Map<Lists, T>> byQueue = new ConcurrentHashMap<>();

  private record Lists(List<String> tasks, Set<String> stacks) {}

  LaneMemory(Supplier<T> fresh) {
    this.fresh = fresh;
  }

  /** What is remembered about claims of these tasks. */
  T of(String queue, List<String> tasks, Set<String> stacks) {
    Map<Lists, T> recent = byQueue.computeIfAbsent(queue, any -> leastRecentlyUsedFirst());
    synchronized (recent) {
      T known = recent.computeIfAbsent(new Lists(tasks, stacks), any -> fresh.get());
      if (recent.size() > MOST_LISTS) {
        recent.remove(recent.keySet().iterator().next());
      }
      return known;
    }
  }

  private static <K, V> Map<K, V> leastRecentlyUsedFirst() {
    return new LinkedHashMap<>(MOST_LISTS, 0.75f, true);
  }

  /** How many things are remembered. */
  int size() {
    int size = 0;
    for (Map<Lists, T> recent : byQueue.values()) {
      synchronized (recent) {
        size += recent.size();
      }
    }
    return size;
  }
}
