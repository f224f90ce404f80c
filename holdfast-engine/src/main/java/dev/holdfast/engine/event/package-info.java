/**
 * Tells listeners of the user's own what happens, off the hot path.
 *
 * <p>{@link dev.holdfast.engine.event.LifecycleEvents} is what roles call; {@link
 * dev.holdfast.engine.event.Dispatcher} has the bounded queue and calls the listeners. The
 * invariant it guards: whatever a listener does, the node goes on as if there were none.
 */
@NullMarked
package dev.holdfast.engine.event;

import org.jspecify.annotations.NullMarked;
