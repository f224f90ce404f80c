package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.HandBack;
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
 * Gives back jobs that the database says this node holds, although it does not: the reply to their
 * claim was lost, or taking them in failed. The Heart finds them and must not wait for it. What
 * fails is found again by the next heartbeat.
 *
 * <p>A heartbeat asks only about claim calls that are not known to be over. As the last resort this
 * role compares <em>everything</em> that the incarnation holds now and then, whatever its call: in
 * a statement that is not a heartbeat's, because it may be slow while an old snapshot keeps entries
 * of finished jobs in the index.
 */
public final class LostClaimReturner implements Role {
  private static final Logger log = LoggerFactory.getLogger(LostClaimReturner.class);

  private final Parts parts;
  private volatile Waker waker = () -> {};
  private @Nullable Found found;
  private @Nullable Moment nextLook;

  /**
   * What this role works with.
   *
   * @param lookEvery how often everything is compared
   */
  public record Parts(
      Claims claims,
      NodeStore nodes,
      CurrentIncarnation identity,
      ClaimCalls calls,
      HeldJobs heldJobs,
      Duration lookEvery) {}

  /**
   * A job to give back.
   *
   * @param heldJob what the node still has of it; null if nothing
   */
  record LostClaim(ClaimId held, @Nullable HeldJob heldJob) {
    private HandBack handBack() {
      return new HandBack(held, heldJob != null && heldJob.hasRun());
    }
  }

  private record Found(Tenure tenure, List<LostClaim> jobs) {}

  public LostClaimReturner(Parts parts) {
    this.parts = parts;
  }

  /** Who to wake when there is something to give back. */
  public void wokenBy(Waker driver) {
    this.waker = driver;
  }

  @Override
  public String name() {
    return "strays";
  }

  /** Give these back soon; they are all that a heartbeat of this tenure found. */
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
    Moment look = nextLook == null ? now.plus(parts.lookEvery()) : nextLook;
    Found due = take();
    try {
      if (due != null) {
        giveBack(due);
      }
      if (!now.isBefore(look)) {
        look = now.plus(parts.lookEvery());
        giveBack(lookAtEverything(parts.identity().tenure()));
      }
    } catch (StoreException failure) {
      log.warn(
          "Jobs that this node does not know could not be found or given back yet: {}",
          failure.getMessage());
    }
    nextLook = look;
    return look;
  }

  private Found lookAtEverything(Tenure tenure) {
    // Calls first: what a call brought that is over now is among the holdings, or was.
    ClaimCalls.Seen seen = parts.calls().look();
    return new Found(
        tenure,
        parts.nodes().claims(tenure.incarnation()).stream()
            .filter(row -> seen.wasOver(row.claimNo()))
            .map(ClaimRow::claim)
            .filter(held -> isUnknown(parts.heldJobs(), held))
            .map(held -> new LostClaim(held, null))
            .toList());
  }

  /** Whether the node has nothing of this claim at present. */
  static boolean isUnknown(HeldJobs heldJobs, ClaimId held) {
    HeldJob now = heldJobs.find(held.id());
    return now == null || now.job().token() != held.token();
  }

  private void giveBack(Found due) {
    if (due.jobs.isEmpty() || due.tenure.isOver()) {
      return;
    }
    Set<ClaimId> given =
        parts
            .claims()
            .giveBack(
                due.tenure.incarnation(), due.jobs.stream().map(LostClaim::handBack).toList());
    for (LostClaim stray : due.jobs) {
      if (stray.heldJob != null) {
        parts.heldJobs().remove(stray.heldJob);
      }
    }
    log.warn(
        "{} jobs that this node had claimed without knowing it went back to the queue without using"
            + " an attempt",
        given.size());
  }
}
