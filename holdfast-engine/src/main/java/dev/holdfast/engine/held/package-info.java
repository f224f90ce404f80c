/**
 * What a node holds: its incarnation and how long it may act ({@link
 * dev.holdfast.engine.held.Tenure}), the jobs it has claimed, and the slots they run in.
 *
 * <p>Claiming, running, finishing and liveness all work on this state and do not depend on each
 * other.
 */
@NullMarked
package dev.holdfast.engine.held;

import org.jspecify.annotations.NullMarked;
