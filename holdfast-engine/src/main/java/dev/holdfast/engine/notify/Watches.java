package dev.holdfast.engine.notify;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What clients somewhere in the cluster watch at present. A watch that is not renewed ends after
 * two minutes. Bounded: the oldest is dropped first, and its client learns of changes by polling.
 */
final class Watches {
  private static final int MOST = 10_000;
  private static final Duration LASTS = Duration.ofMinutes(2);
  private static final Duration BETWEEN = Duration.ofMillis(100);

  private final LongSupplier nanoTime;
  private final Map<String, Watch> watches = new LinkedHashMap<>();
  private volatile boolean any;

  private static final class Watch {
    private long until;
    private long toldAt;
    private boolean told;
  }

  Watches(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Notes that a topic is watched. */
  synchronized void add(String topic) {
    Watch watch = watches.remove(topic);
    if (watch == null) {
      watch = new Watch();
      if (watches.size() >= MOST) {
        var oldest = watches.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
    }
    watch.until = nanoTime.getAsLong() + LASTS.toNanos();
    watches.put(topic, watch);
    any = true;
  }

  /** Returns whether anything is watched. */
  boolean any() {
    return any;
  }

  /**
   * Returns whether to announce that a topic has changed. Costs nothing while nothing is watched.
   *
   * @param often whether each change is told; otherwise at most ten a second
   */
  boolean tells(String topic, boolean often) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      Watch watch = watches.get(topic);
      if (watch == null) {
        return false;
      }
      long now = nanoTime.getAsLong();
      if (now - watch.until > 0) {
        watches.remove(topic);
        any = !watches.isEmpty();
        return false;
      }
      if (!often && watch.told && now - watch.toldAt < BETWEEN.toNanos()) {
        return false;
      }
      watch.told = true;
      watch.toldAt = now;
      return true;
    }
  }
}
