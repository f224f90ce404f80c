package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job in the hands of the node that claimed it.
 *
 * @param token the token of this claim
 * @param started whether it is RUNNING already; otherwise CLAIMED, and {@link Claims#start} must
 *     confirm it before any of its code runs
 * @param attempt the number of the attempt that this claim makes, from 1
 * @param policy the text given at enqueue
 * @param createdAt when it was enqueued
 * @param readyAt when it became due
 * @param claimedAt when this claim was made, by the same clock
 * @param crashes how many times its node died while it ran
 * @param suspicion whether it is a crash suspect, and how it is to be run then
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
    Instant createdAt,
    Instant readyAt,
    Instant claimedAt,
    int crashes,
    Suspicion suspicion)
    implements JobRef {

  public ClaimId claim() {
    return new ClaimId(id, token);
  }
}
