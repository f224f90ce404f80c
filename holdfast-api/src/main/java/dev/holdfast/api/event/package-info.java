/**
 * Lifecycle events of jobs, nodes, tasks and leases ({@link
 * dev.holdfast.api.event.LifecycleEvent}), for your own {@linkplain
 * dev.holdfast.api.event.LifecycleListener listeners}.
 *
 * <p>Events are notifications, not records: they are delivered in the process in which they occur
 * and are dropped if listeners cannot keep up. An event that reports a change in the database is
 * delivered after the database has confirmed the change. To know the state of a job for certain,
 * query it with {@link dev.holdfast.api.Holdfast}.
 */
@NullMarked
package dev.holdfast.api.event;

import org.jspecify.annotations.NullMarked;
