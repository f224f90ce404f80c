package dev.holdfast.engine.notify;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Carries signals between the processes of a cluster on a best-effort basis: signals may be lost,
 * merged, repeated or late.
 *
 * <p>To use your own coordinator (for example a message bus that you already run), implement this
 * interface and pass it to your nodes and clients.
 */
public interface ClusterCoordinator extends AutoCloseable {

  /**
   * Sends a signal: to the listeners of this coordinator at once, and to other processes soon.
   * Returns at once and never throws; equal signals may be merged.
   */
  void announce(Signal signal);

  /**
   * Subscribes a listener, which receives every signal once: a coordinator that receives its own
   * signals must not deliver them again. Listeners must return quickly.
   *
   * @return an action that ends the subscription
   */
  Runnable onSignal(Consumer<Signal> listener);

  /**
   * Returns whether signals of other processes reach this one at present. While they do not, nodes
   * and clients poll more often. Defaults to true.
   */
  default boolean hearsOthers() {
    return true;
  }

  /** Announces that a queue has new READY jobs. */
  default void notifyNewWork(String queue, int priority) {
    announce(new Signal.NewWork(queue, priority));
  }

  @Override
  void close();

  /** Returns a coordinator that reaches this process only: all nodes find their work by polling. */
  static ClusterCoordinator none() {
    return local(false);
  }

  /**
   * Returns a coordinator for a store that only this process uses, so that there are no other
   * processes to receive signals from.
   */
  static ClusterCoordinator withinProcess() {
    return local(true);
  }

  private static ClusterCoordinator local(boolean hearsAll) {
    List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    return new ClusterCoordinator() {
      @Override
      public void announce(Signal signal) {
        listeners.forEach(listener -> listener.accept(signal));
      }

      @Override
      public Runnable onSignal(Consumer<Signal> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
      }

      @Override
      public boolean hearsOthers() {
        return hearsAll;
      }

      @Override
      public void close() {
        listeners.clear();
      }
    };
  }
}
