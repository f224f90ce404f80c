package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Lets one wakeup per topic through in 20 ms: one for each queue that has new work, one for all
 * jobs that were scheduled, unless another is due sooner: whoever heard of the first would sleep
 * too long. It counts what is posted and cannot know what is committed: that is what {@link
 * Reminders} are for.
 */
final class NotifyRateLimiter {
  private static final long INTERVAL = Duration.ofMillis(20).toNanos();

  /** What is announced beyond this within one interval is left to reminders. */
  static final int MOST = 1000;

  private final LongSupplier nanoTime;

  /** What was let through, and when. */
  private record Announced(long at, Signal signal) {}

  /** By topic, the earliest first; none longer ago than the interval. */
  private final Map<String, Announced> recent = new LinkedHashMap<>();

  NotifyRateLimiter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether this may be announced now; if so, nothing else about its topic for a moment. */
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

  /** What a signal is about. */
  static String topic(Signal signal) {
    // No name of a queue is empty.
    return signal instanceof Signal.NewWork work ? work.queue() : "";
  }
}
