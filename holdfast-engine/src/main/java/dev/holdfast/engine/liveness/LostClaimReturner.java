package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Returns lost claims: jobs that the database says this node holds although it does not, because
 * the reply to their claim was lost or accepting them failed. The Heart finds them and must not
 * wait until they are returned. A job that could not be returned is found again by the next
 * heartbeat.
 *
 * <p>A heartbeat asks only about claim calls that are not known to be over. As the last resort,
 * this role compares <em>everything</em> that the incarnation holds from time to time, whatever its
 * claim call. This is a separate statement, because it may be slow while an old snapshot keeps
 * entries of finished jobs in the index.
 */
public final class LostClaimReturner implements Role {
  private static final Logger log = LoggerFactory.getLogger(LostClaimReturner.class);

  private final Claims claims;
  private final NodeStore nodes;
  private final NodeClaims held;
  private final Duration lookEvery;
  private final Waker waker;
  private @Nullable Found found;
  private @Nullable Moment nextLook;

  /**
   * A job to return.
   *
   * @param heldJob the held job of this claim on this node; null if there is none
   */
  record LostClaim(ClaimId held, @Nullable HeldJob heldJob) {
    private ReleasedClaim handBack() {
      return new ReleasedClaim(held, heldJob != null && heldJob.hasRun());
    }
  }

  private record Found(Tenure tenure, List<LostClaim> jobs) {}

  /**
   * @param lookEvery how often everything is compared
   */
  public LostClaimReturner(
      Claims claims, NodeStore nodes, NodeClaims held, Duration lookEvery, Waker waker) {
    this.claims = claims;
    this.nodes = nodes;
    this.held = held;
    this.lookEvery = lookEvery;
    this.waker = waker;
  }

  @Override
  public String name() {
    return "lost-claims";
  }

  /** Returns these jobs soon. They are all that a heartbeat of this tenure found. */
  void giveBack(Tenure tenure, List<LostClaim> jobs) {
    synchronized (this) {
      found = new Found(tenure, jobs);
    }
    waker.wake();
  }

  private synchronized @Nullable Found take() {
    Found taken = found;
    found = null;
    return taken;
  }

  @Override
  public Moment tick(Moment now) {
    Moment look = nextLook == null ? now.plus(lookEvery) : nextLook;
    Found due = take();
    try {
      if (due != null) {
        giveBack(due);
      }
      if (!now.isBefore(look)) {
        look = now.plus(lookEvery);
        giveBack(lookAtEverything(held.tenure()));
      }
    } catch (StoreException failure) {
      log.warn(
          "Jobs of lost claims could not be handed back, retrying after the next heartbeat: {}",
          failure.getMessage());
    }
    nextLook = look;
    return look;
  }

  private Found lookAtEverything(Tenure tenure) {
    // Calls before held jobs: the jobs of a call that is over are, or were, among the held jobs.
    ClaimCalls.Seen seen = held.calls().look();
    return new Found(
        tenure,
        nodes.claims(tenure.incarnation()).stream()
            .filter(row -> seen.wasOver(row.claimNo()))
            .map(ClaimRow::claim)
            .filter(claim -> isUnknown(held.jobs(), claim))
            .map(claim -> new LostClaim(claim, null))
            .toList());
  }

  /** Returns whether this node does not know the claim at present. */
  static boolean isUnknown(HeldJobs heldJobs, ClaimId held) {
    HeldJob now = heldJobs.find(held.id());
    return now == null || now.job().token() != held.token();
  }

  private void giveBack(Found due) {
    if (due.jobs.isEmpty() || due.tenure.isOver()) {
      return;
    }
    Set<ClaimId> given =
        claims.giveBack(
            due.tenure.incarnation(), due.jobs.stream().map(LostClaim::handBack).toList());
    for (LostClaim claim : due.jobs) {
      if (claim.heldJob != null) {
        held.jobs().remove(claim.heldJob);
      }
    }
    log.warn(
        "{} jobs were claimed for this node without its knowledge (lost replies or failed starts);"
            + " they were handed back without using an attempt",
        given.size());
  }
}
