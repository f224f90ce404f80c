package dev.holdfast.engine.wake;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands signals round inside a process and passes those made here on to the cluster. Listeners here
 * hear a local signal at once, without the detour through a database.
 */
public final class SignalBus implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SignalBus.class);

  private final ClusterCoordinator cluster;
  private final Runnable subscription;
  private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();

  public SignalBus(ClusterCoordinator cluster) {
    this.cluster = cluster;
    this.subscription = cluster.onSignal(this::deliver);
  }

  /** Tell listeners here and, through the coordinator, everywhere. */
  public void publish(Signal signal) {
    publishHere(signal);
    cluster.announce(signal);
  }

  /** Tell listeners in this process only. */
  public void publishHere(Signal signal) {
    deliver(signal);
  }

  /** Listen; the answer ends it. */
  public Runnable subscribe(Consumer<Signal> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private void deliver(Signal signal) {
    for (Consumer<Signal> listener : listeners) {
      try {
        listener.accept(signal);
      } catch (RuntimeException failure) {
        log.warn("A listener failed on {}; its work is found by polling", signal, failure);
      }
    }
  }

  @Override
  public void close() {
    subscription.run();
    listeners.clear();
  }
}
