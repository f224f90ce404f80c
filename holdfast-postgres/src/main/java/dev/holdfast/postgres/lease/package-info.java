/**
 * Leases: acquire, renew, end, and reclaim after expiry.
 *
 * <p>Uses {@code db} only. Invariants: tokens of all keys come from one sequence and only grow, and
 * times of two servers are never compared.
 */
@NullMarked
package dev.holdfast.postgres.lease;

import org.jspecify.annotations.NullMarked;
