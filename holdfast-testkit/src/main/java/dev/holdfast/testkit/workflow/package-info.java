/**
 * Tests of workflows in virtual time.
 *
 * <p>{@link dev.holdfast.testkit.workflow.WorkflowTester} runs workflows on the thread of the test,
 * on a store in memory, with the planner, advancer and handlers of a real node. Time passes only
 * when nothing is due: then the clock jumps to the time at which something is due next. If nothing
 * will ever be due, the test fails with an error that says what each step waits for.
 */
@NullMarked
package dev.holdfast.testkit.workflow;

import org.jspecify.annotations.NullMarked;
