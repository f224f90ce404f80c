package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.RunAdvance;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs, and reads the runs of those that execute steps, so that this node can plan what
 * follows a step, although the run was started elsewhere: one query for all jobs of a claim. It
 * saves the marks and the advance of a run after its first step here.
 */
public final class StepClaims implements Claims {
  private static final Logger log = LoggerFactory.getLogger(StepClaims.class);

  private final Claims claims;
  private final RunAdvance runs;
  private final WorkflowCatalog catalog;

  public StepClaims(Claims claims, RunAdvance runs, WorkflowCatalog catalog) {
    this.claims = claims;
    this.runs = runs;
    this.catalog = catalog;
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    List<ClaimedJob> claimed = claims.claim(request);
    List<JobId> unknown = catalog.known().unknown(claimed);
    if (!unknown.isEmpty()) {
      try {
        runs.look(unknown, catalog.planner()).forEach(catalog.known()::learn);
      } catch (RuntimeException failure) { // The jobs are claimed, and the Advancer needs no help.
        log.debug("The runs of {} jobs could not be read", unknown.size(), failure);
      }
    }
    return claimed;
  }

  @Override
  public List<ClaimedJob> held(UUID incarnation, Set<JobId> jobs, boolean payloads) {
    return claims.held(incarnation, jobs, payloads);
  }

  @Override
  public Set<String> queuesWithReadyJobs(
      Set<String> queues, Set<String> tasks, Set<String> stacks) {
    return claims.queuesWithReadyJobs(queues, tasks, stacks);
  }

  @Override
  public Set<ClaimId> start(UUID incarnation, List<ClaimId> started) {
    return claims.start(incarnation, started);
  }

  @Override
  public Set<ClaimId> giveBack(UUID incarnation, List<ReleasedClaim> released) {
    return claims.giveBack(incarnation, released);
  }
}
