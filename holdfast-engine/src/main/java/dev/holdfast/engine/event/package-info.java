/**
 * Reports lifecycle events to the listeners of users, off the hot path.
 *
 * <p>Roles call {@link dev.holdfast.engine.event.LifecycleEvents}; {@link
 * dev.holdfast.engine.event.Dispatcher} has the bounded queue and calls the listeners. The
 * invariant it guards: no matter what a listener does, the node continues as if there were none.
 */
@NullMarked
package dev.holdfast.engine.event;

import org.jspecify.annotations.NullMarked;
