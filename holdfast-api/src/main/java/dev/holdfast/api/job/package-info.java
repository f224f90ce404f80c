/**
 * Durable requests to run a task once: how they are asked for, found and described.
 *
 * <p>Everything here is a value. A {@link dev.holdfast.api.job.JobRequest} is checked when it is
 * built, so that bad input never reaches a database; a {@link dev.holdfast.api.job.Job} is a
 * snapshot of what the database said.
 */
@NullMarked
package dev.holdfast.api.job;

import org.jspecify.annotations.NullMarked;
