/**
 * Lifecycle events of jobs, nodes and tasks ({@link dev.holdfast.api.event.LifecycleEvent}), for
 * your own {@linkplain dev.holdfast.api.event.LifecycleListener listeners}.
 *
 * <p>Events are notifications, not records: they are delivered in the process in which they occur,
 * after the database has confirmed the change, and are dropped if listeners cannot keep up. To know
 * the state of a job for certain, query it with {@link dev.holdfast.api.Holdfast}.
 */
@NullMarked
package dev.holdfast.api.event;

import org.jspecify.annotations.NullMarked;
