package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What is to be announced once more, a fixed time after it was last wanted. While it is wanted all
 * the time, it is announced once in that time. Times are readings of a monotonic clock in
 * nanoseconds. Not for use by several threads at once.
 */
final class DelayedNotifies {
  /** What is wanted beyond this is left to polling. */
  static final int MOST = 1000;

  private final Duration delay;
  private final Map<String, Pending> wishes = new HashMap<>();

  /** What is to be said of a topic, when, and when that was wanted last. */
  private record Pending(Signal signal, long due, long wantedAt) {}

  DelayedNotifies(Duration delay) {
    this.delay = delay;
  }

  Duration delay() {
    return delay;
  }

  /**
   * Ask for an announcement.
   *
   * @return whether nothing was wanted before, so that nobody will call by himself
   */
  boolean want(Signal signal, long now) {
    boolean first = wishes.isEmpty();
    String topic = NotifyRateLimiter.topic(signal);
    Pending before = wishes.get(topic);
    if (before != null) {
      wishes.put(topic, new Pending(stronger(before.signal, signal), before.due, now));
    } else if (wishes.size() < MOST) {
      wishes.put(topic, new Pending(plain(signal), now + delay.toNanos(), now));
    }
    return first;
  }

  /** Take what is due. What was wanted again in the meantime stays, to be due once more. */
  void takeDue(long now, Consumer<Signal> announce) {
    Iterator<Map.Entry<String, Pending>> each = wishes.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<String, Pending> entry = each.next();
      Pending wish = entry.getValue();
      if (wish.due - now > 0) {
        continue;
      }
      announce.accept(wish.signal);
      long again = wish.wantedAt + delay.toNanos();
      if (again - wish.due > 0) {
        entry.setValue(new Pending(wish.signal, again, wish.wantedAt));
      } else {
        each.remove();
      }
    }
  }

  /** How long until something is due; empty if nothing is wanted. */
  OptionalLong next(long now) {
    return wishes.values().stream().mapToLong(wish -> Math.max(0, wish.due - now)).min();
  }

  /** The time that a delay was counted from is over: a stager looks for itself. */
  private static Signal plain(Signal signal) {
    return signal instanceof Signal.Scheduled ? new Signal.Scheduled(Duration.ZERO) : signal;
  }

  private static Signal stronger(Signal one, Signal other) {
    return one instanceof Signal.NewWork a && other instanceof Signal.NewWork b ? a.and(b) : one;
  }
}
