/**
 * A store that keeps its jobs in memory: for the unit tests of programs that use Holdfast, and for
 * the simulated cluster.
 *
 * <p>{@link dev.holdfast.testkit.memory.InMemoryStore} hands out one class for each role of the
 * engine's store; all of them work on the same tables, one at a time under one lock, which is what
 * makes every call a transaction. Nothing in here starts a thread, looks at a clock of its own or
 * throws dice: the same calls at the same times give the same answers. The contract suite holds it
 * to what the PostgreSQL store promises, down to the texts that a database refuses.
 */
@NullMarked
package dev.holdfast.testkit.memory;

import org.jspecify.annotations.NullMarked;
