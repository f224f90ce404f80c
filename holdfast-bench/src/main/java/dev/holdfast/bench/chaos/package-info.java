/**
 * Proof by breaking things: real node processes under load while they are killed, stopped, cut off
 * and lied to about the time, and while PostgreSQL restarts under them.
 *
 * <p>{@link dev.holdfast.bench.chaos.Script} says what is done when, as a function of a seed;
 * {@link dev.holdfast.bench.chaos.Storm} does it. Tasks write each effect into a file of their
 * process, since one that is cut off cannot write to the database. {@link
 * dev.holdfast.bench.chaos.Checker} is a function from these files and the books to what is wrong,
 * and knows nothing of how they came about.
 */
@NullMarked
package dev.holdfast.bench.chaos;

import org.jspecify.annotations.NullMarked;
