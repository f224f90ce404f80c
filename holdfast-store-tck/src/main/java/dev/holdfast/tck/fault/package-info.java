/** Stores that fail as networks do, for tests of fault tolerance. */
@NullMarked
package dev.holdfast.tck.fault;

import org.jspecify.annotations.NullMarked;
