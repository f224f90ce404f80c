/**
 * Leases as their holder keeps them.
 *
 * <p>{@link dev.holdfast.engine.lease.Lessor} acquires them, {@link
 * dev.holdfast.engine.lease.Renewer} renews what is due in one call, and {@link
 * dev.holdfast.engine.lease.Fence} takes away what could not be renewed in time. Renewer and Fence
 * are two roles, because the one can be stuck in a call to a database that does not answer, and the
 * other must not be.
 *
 * <p>The invariant: a lease that says it is held has time left in the database. It counts on the
 * monotonic clock, from before the last request that succeeded was sent, so the database's own
 * count began later; and once it has said that it is not held, it never says otherwise again.
 */
@NullMarked
package dev.holdfast.engine.lease;

import org.jspecify.annotations.NullMarked;
