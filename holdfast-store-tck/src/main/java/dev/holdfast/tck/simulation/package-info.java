/**
 * A cluster in one process and in virtual time: real nodes on the store in memory, with everything
 * going wrong that may, by the dice of one seed.
 *
 * <p>The nodes are the ones of production; only their {@link dev.holdfast.engine.role.Surroundings}
 * are simulated. Every thread of a node is a {@link dev.holdfast.tck.simulation.SimulatedThread},
 * and one strand runs at a time, until it waits: for its next tick, or for the store. So whatever
 * may happen between a request and its answer does happen, under some seed, and a seed replays
 * exactly. Nothing here may ask a clock of the machine, iterate over hash codes of objects, or let
 * two strands run at once.
 *
 * <p>The {@link dev.holdfast.tck.simulation.InvariantChecker} guards the promises of the engine
 * after every event.
 */
@NullMarked
package dev.holdfast.tck.simulation;

import org.jspecify.annotations.NullMarked;
