package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Signals to be announced again, a fixed time after they were last requested. A signal that is
 * requested continuously is announced once in that time. Times are readings of a monotonic clock in
 * nanoseconds. Not thread-safe.
 */
final class DelayedNotifies {
  /** The maximum number of pending signals. Beyond it, nodes find their work by polling. */
  static final int MOST = 1000;

  private final Duration delay;
  private final Map<String, Pending> pending = new HashMap<>();

  /** A pending signal, when it is due, and when it was last requested. */
  private record Pending(Signal signal, long due, long wantedAt) {}

  DelayedNotifies(Duration delay) {
    this.delay = delay;
  }

  Duration delay() {
    return delay;
  }

  /**
   * Requests an announcement.
   *
   * @return whether nothing was pending before, so that the caller must schedule the next call
   */
  boolean want(Signal signal, long now) {
    boolean first = pending.isEmpty();
    String topic = NotifyRateLimiter.topic(signal);
    Pending before = pending.get(topic);
    if (before != null) {
      pending.put(topic, new Pending(stronger(before.signal, signal), before.due, now));
    } else if (pending.size() < MOST) {
      pending.put(topic, new Pending(plain(signal), now + delay.toNanos(), now));
    }
    return first;
  }

  /**
   * Takes the signals that are due. A signal that was requested again in the meantime stays and
   * becomes due once more.
   */
  void takeDue(long now, Consumer<Signal> announce) {
    Iterator<Map.Entry<String, Pending>> each = pending.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<String, Pending> entry = each.next();
      Pending request = entry.getValue();
      if (request.due - now > 0) {
        continue;
      }
      announce.accept(request.signal);
      long again = request.wantedAt + delay.toNanos();
      if (again - request.due > 0) {
        entry.setValue(new Pending(request.signal, again, request.wantedAt));
      } else {
        each.remove();
      }
    }
  }

  /** Returns how long until a signal is due; empty if none is pending. */
  OptionalLong next(long now) {
    return pending.values().stream().mapToLong(request -> Math.max(0, request.due - now)).min();
  }

  /**
   * Removes the delay of a signal, which has passed by the time of the announcement: the stager
   * looks up the actual time.
   */
  private static Signal plain(Signal signal) {
    return signal instanceof Signal.Scheduled ? new Signal.Scheduled(Duration.ZERO) : signal;
  }

  private static Signal stronger(Signal one, Signal other) {
    return one instanceof Signal.NewWork a && other instanceof Signal.NewWork b ? a.and(b) : one;
  }
}
