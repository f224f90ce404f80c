/**
 * Named code: what a task is called, how it is handled, how often it is tried.
 *
 * <p>A {@link dev.holdfast.api.task.TaskType} is the one thing that the producer and the handler of
 * a task share. Rows in the database carry its name and never the name of a class, so that a
 * handler can be renamed, moved or rewritten while its jobs wait.
 */
@NullMarked
package dev.holdfast.api.task;

import org.jspecify.annotations.NullMarked;
