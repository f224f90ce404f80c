/**
 * A deterministic simulation: a cluster of real nodes on the in-memory store, in one process and in
 * virtual time, with random faults determined by a seed.
 *
 * <p>The nodes are the production code; only their {@link dev.holdfast.engine.role.Environment} is
 * simulated. Every thread of a node is a {@link dev.holdfast.tck.simulation.SimulatedThread}, and
 * one of them runs at a time, until it waits for its next tick or for the store. So any event that
 * can happen between a request and its reply does happen under some seed, and a seed replays
 * exactly. Nothing here may read a clock of the machine, iterate in the order of identity hash
 * codes, or let two simulated threads run at once.
 *
 * <p>The {@link dev.holdfast.tck.simulation.InvariantChecker} checks the guarantees of the engine
 * after every event.
 */
@NullMarked
package dev.holdfast.tck.simulation;

import org.jspecify.annotations.NullMarked;
