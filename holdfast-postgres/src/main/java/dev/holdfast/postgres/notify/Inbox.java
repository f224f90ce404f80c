package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Signals that were received and wait to be delivered. Not for use by several threads at once.
 *
 * <p>Every user of the database can send on the channel. So equal signals are merged and each kind
 * is delivered only so often, however many arrive: a flood costs a bounded number of polls and a
 * bounded amount of memory. A signal that comes alone is delivered at once.
 */
final class Inbox {
  /** Between two deliveries of signals that cost a poll of one role, or nothing. */
  private static final Duration OFTEN = Duration.ofMillis(20);

  /** Between two deliveries of signals that cost a heartbeat, or a poll of every role. */
  private static final Duration RARELY = Duration.ofMillis(200);

  private final SignalBatch waiting = new SignalBatch();
  private final Map<Class<? extends Signal>, Long> nextAt = new HashMap<>();

  void add(Signal signal) {
    if (!waiting.add(signal)) {
      // One look at everything costs less than that many signals.
      waiting.clear();
      waiting.add(new Signal.SignalsMissed());
    }
  }

  /** What may be delivered now, which counts as delivered. */
  List<Signal> take(long now) {
    List<Signal> due = waiting.take(signal -> untilNanos(signal, now) <= 0);
    due.forEach(signal -> nextAt.put(signal.getClass(), now + gap(signal).toNanos()));
    return due;
  }

  /** How long until there is something to take, if nothing else arrives; at most this long. */
  Duration quiet(long now, Duration atMost) {
    return waiting.signals().stream()
        .map(signal -> Duration.ofNanos(Math.max(0, untilNanos(signal, now))))
        .reduce(atMost, (one, other) -> one.compareTo(other) <= 0 ? one : other);
  }

  private long untilNanos(Signal signal, long now) {
    Long next = nextAt.get(signal.getClass());
    return next == null ? 0 : next - now;
  }

  private static Duration gap(Signal signal) {
    return switch (signal) {
      case Signal.NewWork work -> OFTEN;
      case Signal.Scheduled scheduled -> OFTEN;
      case Signal.ResultAwaited awaited -> OFTEN;
      case Signal.JobEnded ended -> OFTEN;
      case Signal.QueueChanged changed -> RARELY;
      case Signal.TaskChanged changed -> RARELY;
      case Signal.HeartbeatRequested call -> RARELY;
      case Signal.SchedulesChanged changed -> RARELY;
      case Signal.NodeJoined joined -> RARELY;
      case Signal.NodeDied died -> RARELY;
      case Signal.SignalsMissed missed -> RARELY;
    };
  }
}
