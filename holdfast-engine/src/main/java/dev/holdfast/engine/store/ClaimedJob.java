package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job as returned to the node that claimed it.
 *
 * @param token the fencing token of this claim
 * @param started whether the job is RUNNING already; otherwise it is CLAIMED, and {@link
 *     Claims#start} must confirm it before any of its code runs
 * @param attempt the number of the attempt that this claim makes, from 1
 * @param policy the text given at enqueue
 * @param uniqueKey its unique key; null for none
 * @param notes the text of the last {@link Outcomes.Note}; null for none
 * @param createdAt when the job was enqueued
 * @param readyAt when the job became due
 * @param claimedAt when this claim was made, by the same clock
 * @param crashes how many times its node died while it ran
 * @param suspicion whether the job is a crash suspect, and how it must be run if so
 * @param step the step of a run that it executes; null for a job that belongs to no run
 */
public record ClaimedJob(
    JobId id,
    long token,
    String task,
    String queue,
    boolean started,
    int attempt,
    int priority,
    @Nullable String payload,
    Set<String> tags,
    @Nullable String policy,
    @Nullable String uniqueKey,
    @Nullable String notes,
    Instant createdAt,
    Instant readyAt,
    Instant claimedAt,
    int crashes,
    Suspicion suspicion,
    @Nullable StepRef step)
    implements JobRef {

  public ClaimId claim() {
    return new ClaimId(id, token);
  }
}
