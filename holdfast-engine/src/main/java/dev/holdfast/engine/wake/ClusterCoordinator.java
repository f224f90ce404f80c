package dev.holdfast.engine.wake;

import java.util.function.Consumer;

/**
 * Carries signals between the processes of a cluster, as well as it can: signals may be lost,
 * merged, repeated or late.
 *
 * <p>To bring your own (a message bus you run anyway, say), implement this and hand it to your
 * nodes and clients.
 */
public interface ClusterCoordinator extends AutoCloseable {

  /** Pass a signal on. Returns at once and never throws; equal signals may be merged. */
  void announce(Signal signal);

  /**
   * Tell this listener of every signal, one's own included or not. Listeners must return quickly.
   *
   * @return closes the subscription
   */
  Runnable onSignal(Consumer<Signal> listener);

  /** Announce that a queue has new READY jobs. */
  default void notifyNewWork(String queue, int priority) {
    announce(new Signal.NewWork(queue, priority));
  }

  @Override
  void close();

  /** Carries nothing: every node finds its work by polling. */
  static ClusterCoordinator none() {
    return new ClusterCoordinator() {
      @Override
      public void announce(Signal signal) {}

      @Override
      public Runnable onSignal(Consumer<Signal> listener) {
        return () -> {};
      }

      @Override
      public void close() {}
    };
  }
}
