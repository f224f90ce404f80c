package dev.holdfast.api.event;

/**
 * Receives the lifecycle events of a node.
 *
 * <p>A node calls its listeners one after the other, on a thread reserved for them. A slow listener
 * delays the others and finally causes events to be dropped, but it never delays a job. Exceptions
 * are logged.
 */
@FunctionalInterface
public interface LifecycleListener {

  /** Receives an event. */
  void on(LifecycleEvent event);
}
