/** A store with injected network faults, for tests of fault tolerance. */
@NullMarked
package dev.holdfast.tck.fault;

import org.jspecify.annotations.NullMarked;
