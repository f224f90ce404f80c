/**
 * A store in memory, for unit tests of programs that use Holdfast and for the simulated cluster.
 *
 * <p>{@link dev.holdfast.testkit.memory.InMemoryStore} has one class per interface of the store
 * SPI. They share the same tables, and each call runs alone under one lock, which makes it a
 * transaction. This package starts no threads, reads the time only from the clock it is given (such
 * as a {@link dev.holdfast.testkit.memory.ManualClock}) and is not random: the same calls at the
 * same times have the same results. The contract suite verifies that the store behaves like the
 * PostgreSQL store, down to the texts that a database refuses.
 */
@NullMarked
package dev.holdfast.testkit.memory;

import org.jspecify.annotations.NullMarked;
