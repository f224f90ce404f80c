/**
 * A fault-injection test: real node processes run under load while they are killed, suspended and
 * disconnected and their clocks are shifted, and while PostgreSQL restarts.
 *
 * <p>{@link dev.holdfast.bench.chaos.Script} determines which fault happens when, as a function of
 * a seed; {@link dev.holdfast.bench.chaos.FaultInjector} injects it. Tasks log each effect to a
 * file of their process, because a disconnected process cannot write to the database. {@link
 * dev.holdfast.bench.chaos.Checker} is a pure function from these files and the stored state to the
 * violations. Invariant: the stored state is read directly from the tables, not through the store
 * that is being checked.
 */
@NullMarked
package dev.holdfast.bench.chaos;

import org.jspecify.annotations.NullMarked;
