/** Leases. */
@NullMarked
package dev.holdfast.postgres.lease;

import org.jspecify.annotations.NullMarked;
