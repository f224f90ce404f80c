/**
 * Tests of workflows in virtual time.
 *
 * <p>{@link dev.holdfast.testkit.workflow.WorkflowTester} runs workflows on the thread of the test,
 * on a store in memory, with the planner, advancer and handlers of a real node. Time passes only
 * when nothing is due: then the clock moves to the next time at which something is. If nothing ever
 * is, the test is told what everything waits for.
 */
@NullMarked
package dev.holdfast.testkit.workflow;

import org.jspecify.annotations.NullMarked;
