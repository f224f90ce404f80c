/** Leases: acquire, renew, end, and reclaim after expiry. */
@NullMarked
package dev.holdfast.postgres.lease;

import org.jspecify.annotations.NullMarked;
