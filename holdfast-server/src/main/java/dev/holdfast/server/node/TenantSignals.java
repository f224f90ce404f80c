package dev.holdfast.server.node;

import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The signals of all tenants, through one coordinator: one connection that listens, however many
 * tenants there are.
 */
public final class TenantSignals implements AutoCloseable {
  private final ClusterCoordinator shared;
  private final Map<Integer, List<Consumer<Signal>>> listeners = new ConcurrentHashMap<>();
  private final Runnable subscription;
  private volatile IntConsumer onTenant = tenant -> {};

  /**
   * @param shared is closed with this object
   */
  public TenantSignals(ClusterCoordinator shared) {
    this.shared = shared;
    this.subscription = shared.onSignal(this::hear);
  }

  /** Sets the callback for signals in any tenant. */
  void onTenant(IntConsumer told) {
    onTenant = told;
  }

  /** Returns the coordinator for signals that concern no tenant. */
  ClusterCoordinator shared() {
    return shared;
  }

  private void hear(Signal signal) {
    switch (signal) {
      case Signal.InTenant(int tenant, Signal own) -> {
        deliver(tenant, own);
        if (announcesWork(own)) {
          onTenant.accept(tenant);
        }
      }
      case Signal.SignalsMissed missed ->
          listeners.keySet().forEach(tenant -> deliver(tenant, missed));
      // Of processes, which NodeCore hears, or only sent within InTenant.
      case Signal.NodeJoined joined -> {}
      case Signal.NodeDied died -> {}
      case Signal.HeartbeatRequested call -> {}
      case Signal.NewWork work -> {}
      case Signal.Scheduled scheduled -> {}
      case Signal.QueueChanged changed -> {}
      case Signal.TaskChanged changed -> {}
      case Signal.RunsMarked marked -> {}
      case Signal.ResultAwaited awaited -> {}
      case Signal.JobEnded ended -> {}
      case Signal.Watched watched -> {}
      case Signal.Changed changed -> {}
      case Signal.SchedulesChanged changed -> {}
    }
  }

  private static boolean announcesWork(Signal signal) {
    return switch (signal) {
      case Signal.NewWork work -> true;
      case Signal.Scheduled scheduled -> true;
      case Signal.RunsMarked marked -> true;
      case Signal.QueueChanged changed -> true;
      case Signal.TaskChanged changed -> true;
      case Signal.SchedulesChanged changed -> true;
      case Signal.NodeDied died -> true;
      case Signal.NodeJoined joined -> false;
      case Signal.HeartbeatRequested call -> false;
      case Signal.ResultAwaited awaited -> false;
      case Signal.JobEnded ended -> false;
      case Signal.Watched watched -> false;
      case Signal.Changed changed -> false;
      case Signal.InTenant nested -> false;
      case Signal.SignalsMissed missed -> false;
    };
  }

  private void deliver(int tenant, Signal signal) {
    for (Consumer<Signal> listener : listeners.getOrDefault(tenant, List.of())) {
      listener.accept(signal);
    }
  }

  /** Returns the coordinator of one tenant. Closing it does nothing. */
  public ClusterCoordinator of(int tenant) {
    return new ClusterCoordinator() {
      @Override
      public void announce(Signal signal) {
        shared.announce(new Signal.InTenant(tenant, signal));
      }

      @Override
      public Runnable onSignal(Consumer<Signal> listener) {
        listeners.compute(
            tenant,
            (id, known) -> {
              List<Consumer<Signal>> all = known == null ? new CopyOnWriteArrayList<>() : known;
              all.add(listener);
              return all;
            });
        return () ->
            listeners.computeIfPresent(
                tenant,
                (id, known) -> {
                  known.remove(listener);
                  return known.isEmpty() ? null : known;
                });
      }

      @Override
      public boolean hearsOthers() {
        return shared.hearsOthers();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {
    subscription.run();
    shared.close();
  }
}
