/** Leases for unit tests of code that takes them: scripted, recorded, without a store. */
@NullMarked
package dev.holdfast.testkit.lease;

import org.jspecify.annotations.NullMarked;
