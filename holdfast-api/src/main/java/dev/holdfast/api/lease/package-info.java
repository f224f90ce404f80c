/**
 * Exclusive use of anything that has a name: leases, locks, and work to be done once at start-up.
 *
 * <p>A lease is held for a time and renewed while its holder lives, so a dead holder locks nobody
 * out for good. Two holders can overlap only in the eyes of one that was frozen past its time; the
 * {@linkplain dev.holdfast.api.lease.Lease#fencingToken fencing token}, which only grows, lets
 * whatever the lease protects turn the older one away. Like the rest of the api this needs the JDK
 * and JSpecify alone.
 */
@NullMarked
package dev.holdfast.api.lease;

import org.jspecify.annotations.NullMarked;
