package dev.holdfast.engine.liveness;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.time.Moment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the jobs that this node holds with the claims that the reply to a heartbeat names: stops
 * what the node no longer holds or should release, and returns what it holds without knowing it.
 */
public final class ClaimReconciler {
  private static final Logger log = LoggerFactory.getLogger(ClaimReconciler.class);

  private final NodeClaims held;
  private final BiConsumer<Tenure, List<LostClaimReturner.LostClaim>> giveBack;

  public ClaimReconciler(NodeClaims held, LostClaimReturner lostClaims) {
    this(held, lostClaims::giveBack);
  }

  private ClaimReconciler(
      NodeClaims held, BiConsumer<Tenure, List<LostClaimReturner.LostClaim>> giveBack) {
    this.held = held;
    this.giveBack = giveBack;
  }

  /** Returns a reconciler for a process that claims nothing itself. */
  public static ClaimReconciler ofNothing(NodeClaims held) {
    return new ClaimReconciler(held, (tenure, lost) -> {});
  }

  /**
   * What the node knew of its claims before a heartbeat was sent.
   *
   * @param oldestCall the oldest claim call that the heartbeat has to ask about
   */
  record Snapshot(Moment at, ClaimCalls.Seen seen, Map<JobId, HeldJob> jobs, long oldestCall) {}

  Snapshot snapshot(Moment now) {
    // Calls before held jobs: the jobs of a call that ends in between are among the held jobs.
    ClaimCalls.Seen seen = held.calls().look();
    Map<JobId, HeldJob> jobs = new HashMap<>();
    long oldestCall = seen.oldest();
    for (HeldJob heldJob : held.jobs().all()) {
      jobs.put(heldJob.job().id(), heldJob);
      oldestCall = Math.min(oldestCall, heldJob.claimNo());
    }
    return new Snapshot(now, seen, jobs, oldestCall);
  }

  /** Returns how many jobs the node holds. */
  int size() {
    return held.jobs().size();
  }

  /** Compares the held jobs with the claims in the reply. */
  void reconcile(Tenure tenure, Snapshot snapshot, HeartbeatReply reply) {
    Map<JobId, HeldJob> before = snapshot.jobs;
    List<LostClaimReturner.LostClaim> lost = new ArrayList<>();
    for (ClaimRow row : reply.claims()) {
      HeldJob heldJob = before.remove(row.claim().id());
      if (heldJob != null && heldJob.job().token() == row.claim().token()) {
        if (heldJob.isUnreported()) {
          lost.add(new LostClaimReturner.LostClaim(row.claim(), heldJob));
        } else {
          obey(row, heldJob);
        }
      } else if (snapshot.seen.wasOver(row.claimNo())
          && LostClaimReturner.isUnknown(held.jobs(), row.claim())) {
        lost.add(new LostClaimReturner.LostClaim(row.claim(), null));
      }
    }
    for (HeldJob gone : before.values()) {
      if (gone.isUnreported()) {
        held.jobs().remove(gone); // Another node has recovered it.
      }
      // This node may just have written the outcome of a job that has ended.
      if (!gone.hasEnded() && held.jobs().find(gone.job().id()) == gone) {
        log.warn(
            "Job {} of task {} is no longer held by this node according to the database; its"
                + " attempt is interrupted and its outcome ignored",
            gone.job().id(),
            gone.job().task());
        gone.stop(StopReason.CLAIM_LOST);
      }
    }
    if (lost.isEmpty()) {
      held.calls().nothingFound(snapshot.at);
    } else {
      giveBack.accept(tenure, lost);
    }
  }

  private static void obey(ClaimRow row, HeldJob heldJob) {
    if (heldJob.stopReason() != null) {
      return;
    }
    if (row.cancelRequested()) {
      heldJob.stop(StopReason.CANCELLED);
    } else if (row.releaseRequested()) {
      heldJob.stop(StopReason.HANDED_BACK);
    }
  }
}
