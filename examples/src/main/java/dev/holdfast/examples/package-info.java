/**
 * Runnable examples: one class each, with a {@code main} that prints what happens and ends by
 * itself.
 *
 * <p>They need nothing but a JDK: {@link dev.holdfast.examples.ExampleDatabase} starts PostgreSQL.
 * The tests run all of them and check what they print.
 */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
