package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Signals that wait to be sent, merged: of several signals about the same thing the strongest
 * stays. Not thread-safe.
 */
public final class SignalBatch {
  /** The maximum number of signals in a batch. Beyond it, nodes find their work by polling. */
  private static final int MOST = 1000;

  /** What a signal is about. */
  private record Topic(Class<? extends Signal> kind, Object about) {}

  private final Map<Topic, Signal> signals = new LinkedHashMap<>();

  /**
   * Adds a signal.
   *
   * @return false if there was no room for it
   */
  public boolean add(Signal signal) {
    Topic topic = topic(signal);
    if (signals.size() >= MOST && !signals.containsKey(topic)) {
      return false;
    }
    signals.merge(topic, signal, SignalBatch::stronger);
    return true;
  }

  void clear() {
    signals.clear();
  }

  Collection<Signal> signals() {
    return signals.values();
  }

  /** Removes and returns the matching signals. */
  List<Signal> take(Predicate<Signal> wanted) {
    List<Signal> taken = signals.values().stream().filter(wanted).toList();
    signals.values().removeAll(taken);
    return taken;
  }

  public boolean isEmpty() {
    return signals.isEmpty();
  }

  /** Removes the matching signals. */
  public void removeIf(Predicate<Signal> unwanted) {
    signals.values().removeIf(unwanted);
  }

  /** Passes each signal to the consumer. */
  public void forEach(Consumer<Signal> each) {
    signals.values().forEach(each);
  }

  /** Removes all signals and returns them as texts of the given sender. */
  public List<String> drain(String sender) {
    List<String> texts = new ArrayList<>(signals.size());
    signals.values().forEach(signal -> texts.add(NotifyPayload.of(sender, signal)));
    signals.clear();
    return texts;
  }

  private static Topic topic(Signal signal) {
    return signal instanceof Signal.InTenant(int tenant, Signal own)
        ? new Topic(Signal.InTenant.class, List.of(tenant, topic(own)))
        : new Topic(signal.getClass(), about(signal));
  }

  private static Object about(Signal signal) {
    return switch (signal) {
      case Signal.NewWork work -> work.queue();
      case Signal.Scheduled scheduled -> "";
      case Signal.QueueChanged changed -> changed.queue();
      case Signal.TaskChanged changed -> changed.task();
      case Signal.HeartbeatRequested call -> call.incarnation();
      case Signal.ResultAwaited awaited -> awaited.job();
      case Signal.JobEnded ended -> ended.job();
      case Signal.Watched watched -> watched.topic();
      case Signal.Changed changed -> changed.topic();
      case Signal.RunsMarked marked -> "";
      case Signal.SchedulesChanged changed -> "";
      case Signal.NodeJoined joined -> "";
      case Signal.NodeDied died -> "";
      case Signal.SignalsMissed missed -> "";
      case Signal.InTenant one -> one.tenant();
    };
  }

  private static Signal stronger(Signal one, Signal other) {
    if (one instanceof Signal.NewWork a && other instanceof Signal.NewWork b) {
      return a.and(b);
    }
    if (one instanceof Signal.Scheduled(Duration a)
        && other instanceof Signal.Scheduled(Duration b)) {
      return a.compareTo(b) <= 0 ? one : other;
    }
    if (one instanceof Signal.RunsMarked(Duration a)
        && other instanceof Signal.RunsMarked(Duration b)) {
      return a.compareTo(b) <= 0 ? one : other;
    }
    if (one instanceof Signal.InTenant(int tenant, Signal a)
        && other instanceof Signal.InTenant(int ignored, Signal b)) {
      return new Signal.InTenant(tenant, stronger(a, b));
    }
    return one;
  }
}
