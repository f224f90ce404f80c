/**
 * Taking over from nodes that are gone.
 *
 * <p>Nobody compares clocks. A Sweeper watches the beat counters of some nodes: one that has not
 * moved for its node's terms, on the sweeper's own monotonic clock and over a stretch in which its
 * looks succeeded without a gap, belongs to a node that is dead. So a fresh sweeper has to look for
 * as long as the terms before it concludes anything, and neither an outage of the database nor a
 * clock that jumps makes anybody look dead. The mark is guarded by the beat that was seen.
 *
 * <p>Sweeping is level-triggered: whatever the dead still hold is taken back, whoever marked them
 * and whenever they claimed it. What becomes of a job is a pure function, {@link
 * dev.holdfast.engine.recover.Rulings}.
 */
@NullMarked
package dev.holdfast.engine.recover;

import org.jspecify.annotations.NullMarked;
