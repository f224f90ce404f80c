package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Received signals that wait to be delivered. Not thread-safe.
 *
 * <p>Every user of the database can send on the channel. So equal signals are merged, and the rate
 * of deliveries of each kind is limited, however many arrive: a flood costs a bounded number of
 * polls and a bounded amount of memory. A single signal is delivered at once.
 */
final class Inbox {
  /** The interval between deliveries of signals that cost one poll of one role, or nothing. */
  private static final Duration OFTEN = Duration.ofMillis(20);

  /** How many deliveries that cost one poll of one role may come early. */
  static final int EARLY = 4;

  /** The interval between deliveries of signals that cost a heartbeat, or a poll of every role. */
  private static final Duration RARELY = Duration.ofMillis(200);

  private final SignalBatch waiting = new SignalBatch();

  /** When a delivery of each kind would be on time if all before it had kept their interval. */
  private final Map<Class<? extends Signal>, Long> onTimeAt = new HashMap<>();

  void add(Signal signal) {
    if (!waiting.add(signal)) {
      // One poll of everything costs less than that many signals.
      waiting.clear();
      waiting.add(new Signal.SignalsMissed());
    }
  }

  /** Returns the signals that may be delivered now and marks them as delivered. */
  List<Signal> take(long now) {
    List<Signal> due = waiting.take(signal -> untilNanos(signal, now) <= 0);
    Set<Class<? extends Signal>> kinds = new HashSet<>();
    for (Signal signal : due) {
      if (kinds.add(signal.getClass())) {
        onTimeAt.put(signal.getClass(), now + untilOnTime(signal, now) + gap(signal).toNanos());
      }
    }
    return due;
  }

  /**
   * Returns how long until there is something to take if nothing else arrives, at most the given
   * time.
   */
  Duration quiet(long now, Duration atMost) {
    return waiting.signals().stream()
        .map(signal -> Duration.ofNanos(Math.max(0, untilNanos(signal, now))))
        .reduce(atMost, (one, other) -> one.compareTo(other) <= 0 ? one : other);
  }

  private long untilNanos(Signal signal, long now) {
    Duration gap = gap(signal);
    return untilOnTime(signal, now) - (gap.equals(OFTEN) ? EARLY * gap.toNanos() : 0);
  }

  private long untilOnTime(Signal signal, long now) {
    Long onTime = onTimeAt.get(signal.getClass());
    return onTime == null ? 0 : Math.max(0, onTime - now);
  }

  private static Duration gap(Signal signal) {
    return switch (signal) {
      case Signal.NewWork work -> OFTEN;
      case Signal.Scheduled scheduled -> OFTEN;
      case Signal.ResultAwaited awaited -> OFTEN;
      case Signal.JobEnded ended -> OFTEN;
      case Signal.RunsMarked marked -> OFTEN;
      case Signal.Watched watched -> OFTEN;
      case Signal.Changed changed -> OFTEN;
      case Signal.QueueChanged changed -> RARELY;
      case Signal.TaskChanged changed -> RARELY;
      case Signal.HeartbeatRequested call -> RARELY;
      case Signal.SchedulesChanged changed -> RARELY;
      case Signal.NodeJoined joined -> RARELY;
      case Signal.NodeDied died -> RARELY;
      case Signal.SignalsMissed missed -> RARELY;
      case Signal.InTenant own -> OFTEN;
    };
  }
}
