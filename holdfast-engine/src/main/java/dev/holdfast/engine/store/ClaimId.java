package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;

/** Identifies a claim: the job and the fencing token of the claim. */
public record ClaimId(JobId id, long token) {}
