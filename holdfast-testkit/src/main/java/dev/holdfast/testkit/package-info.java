/**
 * Support for tests of programs that use Holdfast.
 *
 * <ul>
 *   <li>{@link dev.holdfast.testkit.task} tests a handler alone.
 *   <li>{@link dev.holdfast.testkit.workflow} runs workflows in virtual time.
 *   <li>{@link dev.holdfast.testkit.node} runs jobs on the thread of the test.
 *   <li>{@link dev.holdfast.testkit.assertion} asserts which jobs were enqueued.
 *   <li>{@link dev.holdfast.testkit.memory} contains a store in memory and a manual clock.
 *   <li>{@link dev.holdfast.testkit.lease} contains scripted leases.
 * </ul>
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
