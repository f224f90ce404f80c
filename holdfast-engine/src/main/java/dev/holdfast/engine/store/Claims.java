package dev.holdfast.engine.store;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Taking hold of jobs. */
public interface Claims {

  /**
   * A claim to give back.
   *
   * @param ran whether its code may have run: a job that never started keeps the time by which it
   *     must start, although its row may be RUNNING
   */
  record HandBack(ClaimId claim, boolean ran) {}

  /**
   * Claim READY jobs in rank order, as many as wanted and not locked by others. Each gets a token
   * one larger than its last. The first {@link ClaimRequest#start} of them become RUNNING in the
   * same step, the rest CLAIMED.
   *
   * <p>Nothing is claimed for an incarnation that is not alive, from a paused queue, beyond the
   * queue's limit, beyond the task's limit or while its breaker is open, or past a job's start-by
   * time. When the time of an open breaker is over, one job is let through: an order of its task
   * alone gets that one, unless another got it first.
   *
   * @return the claimed jobs in rank order
   */
  List<ClaimedJob> claim(ClaimRequest order);

  /**
   * Which of these queues have READY jobs, of any task, that belong to no stack or to one of these.
   * A queue may be missed whose only such jobs belong to a stack and are not of these tasks.
   * Whether they may be claimed, only a claim says.
   */
  Set<String> queuesWithReadyJobs(Set<String> queues, Set<String> tasks, Set<String> stacks);

  /**
   * Start claimed jobs: CLAIMED becomes RUNNING. Repeatable: a job that is RUNNING under the same
   * token counts as started. A job whose start-by time has passed ends EXPIRED instead, and one
   * whose cancellation was asked for ends CANCELLED. Nothing is started for an incarnation that is
   * not alive.
   *
   * @return the claims that are RUNNING now; the incarnation no longer holds the others, unless it
   *     is dead
   */
  Set<ClaimId> start(UUID incarnation, List<ClaimId> claims);

  /**
   * Give jobs back whose code never ran, or is known to have stopped without harm: they become
   * READY with nothing spent, in their old rank. A job whose cancellation was asked for ends
   * CANCELLED.
   *
   * @return the claims that were given back
   */
  Set<ClaimId> giveBack(UUID incarnation, List<HandBack> claims);
}
