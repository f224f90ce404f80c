/**
 * Jobs: durable requests to run a task once.
 *
 * <p>{@link dev.holdfast.api.job.JobOptions} ({@link dev.holdfast.api.job.When}, {@link
 * dev.holdfast.api.job.UniqueKey}) define how a job is run, {@link dev.holdfast.api.job.Enqueued}
 * is the result of an enqueue, {@link dev.holdfast.api.job.CancelResult}, {@link
 * dev.holdfast.api.job.RetryResult} and {@link dev.holdfast.api.job.RequeueResult} are those of the
 * operations on a job, {@link dev.holdfast.api.job.Job} is a snapshot of a stored job with its
 * {@link dev.holdfast.api.job.JobState} and {@linkplain dev.holdfast.api.job.FailedAttempt failed
 * attempts}, {@link dev.holdfast.api.job.JobProgress} and {@link dev.holdfast.api.job.JobLogLine}
 * are what its handler reported, {@link dev.holdfast.api.job.JobFilter} selects jobs, {@link
 * dev.holdfast.api.job.WaitReason} explains why a job is not running, and {@link
 * dev.holdfast.api.job.QueueStatus} describes a queue.
 *
 * <p>All types are immutable values. Options are checked when they are created, so that invalid
 * input never reaches the database.
 */
@NullMarked
package dev.holdfast.api.job;

import org.jspecify.annotations.NullMarked;
