/**
 * Tasks: the named code that jobs run.
 *
 * <p>A {@link dev.holdfast.api.task.TaskType} is shared by the code that enqueues a task and the
 * code that handles it, which is described in {@code dev.holdfast.api.run}. A {@link
 * dev.holdfast.api.task.RecoveryPolicy} decides what happens to a job whose node died. {@link
 * dev.holdfast.api.task.TaskStatus} and {@link dev.holdfast.api.task.BreakerState} describe the
 * limit and the circuit breaker of a task.
 *
 * <p>The database stores the name of a task and never the name of a class, so that a handler can be
 * renamed, moved or rewritten while its jobs wait.
 */
@NullMarked
package dev.holdfast.api.task;

import org.jspecify.annotations.NullMarked;
