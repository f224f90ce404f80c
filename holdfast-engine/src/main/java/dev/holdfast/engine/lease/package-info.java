/**
 * The holder's side of leases.
 *
 * <p>{@link dev.holdfast.engine.lease.LeaseAcquirer} acquires them, {@link
 * dev.holdfast.engine.lease.Renewer} renews those that are due in one call, and {@link
 * dev.holdfast.engine.lease.LeaseExpiry} takes away those that could not be renewed in time.
 * Renewer and LeaseExpiry are two roles, because the first can be stuck in a call to a database
 * that does not respond, and the second must not be.
 *
 * <p>The invariant: a lease that reports that it is held is claimed in the database and has time
 * left. Its time is measured by the monotonic clock, from before the last successful request was
 * sent, so the time in the database started later ({@link dev.holdfast.engine.lease.LeaseTime}); it
 * is not held from before the request that ends it is sent; and once it has reported that it is not
 * held, it never reports otherwise. The simulation checks this after every event.
 */
@NullMarked
package dev.holdfast.engine.lease;

import org.jspecify.annotations.NullMarked;
