/**
 * Leases: exclusive use of named resources in the whole cluster.
 *
 * <p>{@link dev.holdfast.api.lease.Leases} acquires a {@link dev.holdfast.api.lease.Lease}, {@link
 * dev.holdfast.api.lease.Locks} and {@link dev.holdfast.api.lease.StartupCoordinator} are built on
 * top of it, {@link dev.holdfast.api.lease.Acquisition} is the result of a request, {@link
 * dev.holdfast.api.lease.LeaseInfo} describes a stored lease and its {@link
 * dev.holdfast.api.lease.LeaseState}, and {@link dev.holdfast.api.lease.LeaseLoss} says why a lease
 * was lost.
 *
 * <p>A lease is held for a limited time and renewed while its holder is alive, so a holder that
 * died does not block others permanently. Two holders can overlap only if the first was paused past
 * its time and has not noticed yet. The {@linkplain dev.holdfast.api.lease.Lease#fencingToken
 * fencing token} only grows, so the resource that the lease protects can refuse the older holder.
 */
@NullMarked
package dev.holdfast.api.lease;

import org.jspecify.annotations.NullMarked;
