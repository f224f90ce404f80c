package dev.holdfast.testkit.memory;

import dev.holdfast.engine.wake.ClusterCoordinator;
import dev.holdfast.engine.wake.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries signals between the nodes and clients that share a store in memory, in their threads. */
final class MemoryCoordinator implements ClusterCoordinator {
  private static final Logger log = LoggerFactory.getLogger(MemoryCoordinator.class);

  private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();

  @Override
  public void announce(Signal signal) {
    for (Consumer<Signal> listener : listeners) {
      try {
        listener.accept(signal);
      } catch (RuntimeException failure) {
        log.warn("A listener failed on {}; its work is found by polling", signal, failure);
      }
    }
  }

  @Override
  public Runnable onSignal(Consumer<Signal> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @Override
  public void close() {
    listeners.clear();
  }
}
