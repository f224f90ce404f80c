package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;

/** A claim as its holder names it: the job and the token. */
public record ClaimId(JobId id, long token) {}
