package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Claims, starts and releases jobs. */
public interface Claims {

  /**
   * A claim to release.
   *
   * @param ran whether the code of the job may have run: a job that never started keeps its
   *     start-by time, even if its row is RUNNING
   */
  record ReleasedClaim(ClaimId claim, boolean ran) {}

  /**
   * Claims READY jobs in rank order, up to the requested number, and skips jobs that are locked by
   * other transactions. Each job gets a token greater by one than its last. The first {@link
   * ClaimRequest#start} of them become RUNNING in the same step, the rest CLAIMED.
   *
   * <p>Nothing is claimed for an incarnation that is not alive, from a paused queue, beyond the
   * limit of the queue or the task, while the breaker of the task is open, or after a job's
   * start-by time. When the time of an open breaker is over, it lets one job through: a request for
   * its task alone gets that job, unless another request got it first.
   *
   * @return the claimed jobs in rank order
   */
  List<ClaimedJob> claim(ClaimRequest request);

  /**
   * Returns those of the given jobs that an incarnation holds, as it claimed them: for a claim call
   * whose reply was lost, and to decide how a reported attempt ends. Nothing is changed.
   *
   * @param payloads whether to read payloads and notes; otherwise both are null
   * @return the jobs in rank order
   */
  List<ClaimedJob> held(UUID incarnation, Set<JobId> jobs, boolean payloads);

  /**
   * Returns which of the given queues have READY jobs, of any task, that belong to no stack or to
   * one of the given stacks, which may be {@link Stacks#ALL}. The result may miss a queue whose
   * only such jobs belong to a stack and are not of the given tasks. It does not say whether these
   * jobs may be claimed: only a claim decides that.
   */
  Set<String> queuesWithReadyJobs(Set<String> queues, Set<String> tasks, Set<String> stacks);

  /**
   * Starts claimed jobs: CLAIMED becomes RUNNING. The call can be repeated: a job that is RUNNING
   * under the same token counts as started. A job whose start-by time has passed ends EXPIRED
   * instead, and a job with a cancellation request ends CANCELLED. Nothing is started for an
   * incarnation that is not alive.
   *
   * @return the claims that are RUNNING now; the incarnation no longer holds the others, unless it
   *     is dead
   */
  Set<ClaimId> start(UUID incarnation, List<ClaimId> claims);

  /**
   * Releases jobs whose code never ran, or is known to have stopped without harm: they become READY
   * at their old rank, without using an attempt. A job with a cancellation request ends CANCELLED.
   *
   * @return the claims that were released
   */
  Set<ClaimId> giveBack(UUID incarnation, List<ReleasedClaim> claims);
}
