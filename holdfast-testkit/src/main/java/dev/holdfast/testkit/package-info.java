/** Stores in memory and the contract every store must pass. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
