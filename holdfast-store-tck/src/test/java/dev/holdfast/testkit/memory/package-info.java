/** Access to the tables of the in-memory store, for tests that need inconsistent rows. */
@NullMarked
package dev.holdfast.testkit.memory;

import org.jspecify.annotations.NullMarked;
