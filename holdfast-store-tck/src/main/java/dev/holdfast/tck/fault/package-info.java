/** Stores that misbehave the way networks do, for tests of what survives it. */
@NullMarked
package dev.holdfast.tck.fault;

import org.jspecify.annotations.NullMarked;
