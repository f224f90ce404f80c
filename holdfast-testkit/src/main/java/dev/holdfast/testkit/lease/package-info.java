/**
 * Leases for unit tests of code that uses leases: scripted and recorded, without a store. {@link
 * dev.holdfast.testkit.lease.FakeLeases} is the entry point.
 */
@NullMarked
package dev.holdfast.testkit.lease;

import org.jspecify.annotations.NullMarked;
