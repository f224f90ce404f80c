package dev.holdfast.postgres.claim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What the store remembers about claims with the same queue, tasks and stacks. It keeps the most
 * recently used task lists of each queue. Every task whose breaker opens or closes creates another
 * list, so without a bound the number of lists would grow without limit. Dropped entries are
 * learned again.
 */
final class LaneMemory<T> {
  static final int MOST_LISTS = 8;

  private final Supplier<T> fresh;
  private final Map<String, Map<Lists, T>> byQueue = new ConcurrentHashMap<>();

  private record Lists(List<String> tasks, Set<String> stacks) {}

  LaneMemory(Supplier<T> fresh) {
    this.fresh = fresh;
  }

  /** Returns what is remembered about claims of these tasks. */
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

  /** Returns the number of remembered entries. */
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
