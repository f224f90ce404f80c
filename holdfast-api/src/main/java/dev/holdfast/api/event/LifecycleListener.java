package dev.holdfast.api.event;

/**
 * Hears what happens on a node.
 *
 * <p>All listeners of a node are called one after the other, on one thread that does nothing else.
 * A slow one delays the others and in the end makes events be dropped; it never delays a job. What
 * it throws is logged.
 */
@FunctionalInterface
public interface LifecycleListener {

  void on(LifecycleEvent event);
}
