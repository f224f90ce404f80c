package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which of the jobs that a call creates the caller can start at once, because it has slots for
 * them. They become RUNNING under its incarnation, as a claim with a free slot would make them.
 *
 * <p>The same is required as for such a claim: the node is alive, the job is due, its queue is not
 * paused and has no limit, and its task has no limit and a closed breaker. A job that does not
 * fulfil this becomes READY or SCHEDULED like any other.
 *
 * @param incarnation the incarnation of the caller; null if it starts nothing
 * @param claimNo the number of this call among the claim calls of the incarnation
 */
public record StartHere(@Nullable UUID incarnation, long claimNo, Set<JobId> jobs) {
  public static final StartHere NOTHING = new StartHere(null, 0, Set.of());

  /** Returns the number of the claim call for a job; null if it is not started here. */
  public @Nullable Long claimNo(JobId job) {
    return jobs.contains(job) ? claimNo : null;
  }
}
