package dev.holdfast.engine.notify;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Carries signals between the processes of a cluster, as well as it can: signals may be lost,
 * merged, repeated or late.
 *
 * <p>To bring your own (a message bus you run anyway, say), implement this and hand it to your
 * nodes and clients.
 */
public interface ClusterCoordinator extends AutoCloseable {

  /**
   * Pass a signal on: to the listeners of this coordinator at once, and to other processes soon.
   * Returns at once and never throws; equal signals may be merged.
   */
  void announce(Signal signal);

  /**
   * Tell this listener of every signal, once: a coordinator that gets its own signals back must not
   * repeat them. Listeners must return quickly.
   *
   * @return closes the subscription
   */
  Runnable onSignal(Consumer<Signal> listener);

  /**
   * Returns whether signals of other processes reach this one at present. While they do not, nodes
   * and clients look for work more often than they otherwise would. Defaults to true.
   */
  default boolean hearsOthers() {
    return true;
  }

  /** Announce that a queue has new READY jobs. */
  default void notifyNewWork(String queue, int priority) {
    announce(new Signal.NewWork(queue, priority));
  }

  @Override
  void close();

  /** Reaches this process only: other nodes find their work by polling, and so does this one. */
  static ClusterCoordinator none() {
    return local(false);
  }

  /** For a store that only this process uses, so that there are no others to hear. */
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
