package dev.holdfast.engine.store;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;

/**
 * The result of enqueueing a {@link NewJob}: an {@link Enqueued} without the type of the job's
 * result, which a store does not know.
 *
 * @param id the id of the stored job: the new job's own, or that of the job that holds its unique
 *     key
 * @param outcome what happened to the new job
 */
public record Admission(JobId id, Enqueued.Outcome outcome) {}
