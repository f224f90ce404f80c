package dev.holdfast.api.job;

import java.time.Instant;

/**
 * The progress that the handler of a job reported.
 *
 * @param done how much is done
 * @param total how much there is to do; 0 if that is not known
 * @param message what was being done
 * @param reportedAt when it was reported, by the clock of the node
 */
public record JobProgress(long done, long total, String message, Instant reportedAt) {}
