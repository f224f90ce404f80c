/**
 * Workflows: the graph that a run pins, the planner that decides how a run continues, and the roles
 * that advance and repair runs.
 *
 * <p>Steps are jobs, so claiming, fencing and recovery apply to them without a second mechanism.
 * This package decides which steps start; it never runs one. {@code GraphPlanner} is a pure
 * function of a locked run and its marks. Invariant: the outcome of a run does not depend on the
 * order in which its steps end, nor on the node that advances it.
 */
@NullMarked
package dev.holdfast.engine.workflow;

import org.jspecify.annotations.NullMarked;
