package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Admits one wakeup per topic in 20 ms: one for each queue that has new work, and one for all
 * scheduled jobs unless another is due sooner, because a node that received the first would sleep
 * too long. It counts what is posted and cannot know what is committed: {@link RepeatedNotifier}
 * cover that.
 */
final class NotifyRateLimiter {
  private static final long INTERVAL = Duration.ofMillis(20).toNanos();

  /** The maximum number of topics in one interval. The rest is left to {@link RepeatedNotifier}. */
  static final int MOST = 1000;

  private final LongSupplier nanoTime;

  /** A signal that was admitted, and when. */
  private record Announced(long at, Signal signal) {}

  /** By topic, the earliest first; none older than the interval. */
  private final Map<String, Announced> recent = new LinkedHashMap<>();

  NotifyRateLimiter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Returns whether the signal may be announced now. If so, no other signal of its topic is
   * admitted during the interval.
   */
  synchronized boolean admits(Signal signal) {
    long now = nanoTime.getAsLong();
    forget(now);
    String topic = topic(signal);
    Announced before = recent.get(topic);
    if (before == null ? recent.size() >= MOST : !isSooner(signal, before.signal)) {
      return false;
    }
    recent.remove(topic);
    recent.put(topic, new Announced(now, signal));
    return true;
  }

  private void forget(long now) {
    Iterator<Announced> earliestFirst = recent.values().iterator();
    while (earliestFirst.hasNext() && now - earliestFirst.next().at >= INTERVAL) {
      earliestFirst.remove();
    }
  }

  private static boolean isSooner(Signal one, Signal other) {
    return one instanceof Signal.Scheduled(Duration in)
        && other instanceof Signal.Scheduled(Duration before)
        && in.compareTo(before) < 0;
  }

  /** Returns the topic of a signal. */
  static String topic(Signal signal) {
    // The name of a queue is never empty.
    return signal instanceof Signal.NewWork work ? work.queue() : "";
  }
}
