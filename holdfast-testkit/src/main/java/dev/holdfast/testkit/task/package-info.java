/**
 * Tests of single handlers, without a store and without a node: {@link
 * dev.holdfast.testkit.task.TaskTester} calls a handler as a node would, and returns a {@link
 * dev.holdfast.testkit.task.TaskOutcome} that says what the node would do next.
 */
@NullMarked
package dev.holdfast.testkit.task;

import org.jspecify.annotations.NullMarked;
