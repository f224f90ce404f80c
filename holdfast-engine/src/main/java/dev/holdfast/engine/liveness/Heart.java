package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.Beat;
import dev.holdfast.engine.store.NodeStore.BeatReply;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of this node, and compares the jobs it holds with those that the database
 * says it holds. When the node has been fenced, the Heart registers a new incarnation; it never
 * sends a heartbeat for the old one again.
 */
public final class Heart implements Role {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);
  private static final Duration GLANCE = Duration.ofMillis(20);

  private final Parts parts;
  private final CurrentIncarnation identity;
  private final HeldJobs heldJobs;
  private @Nullable Tenure successor;

  /**
   * The components that a Heart works with.
   *
   * @param office creates the registrations and tenures of the node's incarnations
   * @param lost the slots that hung handlers occupy at present
   * @param hearing called before each heartbeat; returns what processes the reply
   * @param onStartedOver called when a new incarnation has been registered
   */
  public record Parts(
      NodeStore nodes,
      LostClaimReturner strays,
      IncarnationFactory office,
      Fence fence,
      ClaimCalls calls,
      HeldJobs heldJobs,
      HeartbeatInterval pace,
      Supplier<Lost> lost,
      Supplier<Consumer<BeatReply>> hearing,
      Runnable onStartedOver) {}

  public Heart(Parts parts) {
    this.parts = parts;
    this.identity = parts.office().identity();
    this.heldJobs = parts.heldJobs();
  }

  @Override
  public String name() {
    return "heart";
  }

  /** Registers the node. Must be called before anything is claimed. */
  public void register() {
    IncarnationFactory office = parts.office();
    Tenure first = office.tenure(identity.incarnation());
    parts.nodes().register(office.card(first), office.modes(), null);
    identity.become(first);
  }

  @Override
  public Moment tick(Moment now) {
    if (identity.isRetired()) {
      return Moment.NEVER;
    }
    Tenure tenure = identity.tenure();
    try {
      if (!tenure.isOver()) {
        beat(tenure, now);
      }
      return tenure.isOver()
          ? startOver(tenure, now)
          : now.plus(parts.pace().next(heldJobs.size()));
    } catch (StoreException failure) {
      Duration delay = parts.pace().afterFailure();
      log.warn("Heartbeat failed, retrying in {} ms: {}", delay.toMillis(), failure.getMessage());
      return now.plus(delay);
    }
  }

  private void beat(Tenure tenure, Moment now) {
    // Calls before held jobs: the jobs of a call that ends in between are among the held jobs.
    ClaimCalls.Seen seen = parts.calls().look();
    Map<JobId, HeldJob> before = new HashMap<>();
    long oldestCall = seen.oldest();
    for (HeldJob heldJob : heldJobs.all()) {
      before.put(heldJob.job().id(), heldJob);
      oldestCall = Math.min(oldestCall, heldJob.claimNo());
    }
    Consumer<BeatReply> hearer = parts.hearing().get();
    Instant timeOfDay = parts.office().ticker().timeOfDay();
    Optional<BeatReply> reply =
        parts
            .nodes()
            .beat(
                new Beat(
                    tenure.incarnation(),
                    before.size(),
                    oldestCall,
                    parts.pace().patience(),
                    now.until(tenure.deadline()),
                    parts.pace().kept(),
                    parts.lost().get()));
    if (reply.isEmpty()) {
      parts.fence().shut(tenure, "other nodes have declared it dead");
    } else if (reply.get().fenceRequested()) {
      hearer.accept(reply.get()); // The next incarnation continues in the current modes.
      parts.fence().shut(tenure, "an operator requested it");
    } else if (tenure.extend(now, timeOfDay)) {
      hearer.accept(reply.get());
      if (reconcile(tenure, reply.get(), seen, before)) {
        parts.calls().nothingFound(now);
      }
    } else {
      parts.fence().shut(tenure, "the reply to a heartbeat came too late");
    }
  }

  /**
   * Compares the held jobs with the claims in the reply.
   *
   * @return whether all claims were known on this node
   */
  private boolean reconcile(
      Tenure tenure, BeatReply reply, ClaimCalls.Seen seen, Map<JobId, HeldJob> before) {
    List<LostClaimReturner.LostClaim> strays = new ArrayList<>();
    for (ClaimRow row : reply.claims()) {
      HeldJob heldJob = before.remove(row.claim().id());
      if (heldJob != null && heldJob.job().token() == row.claim().token()) {
        if (heldJob.isUnreported()) {
          strays.add(new LostClaimReturner.LostClaim(row.claim(), heldJob));
        } else {
          obey(row, heldJob);
        }
      } else if (seen.wasOver(row.claimNo())
          && LostClaimReturner.isUnknown(heldJobs, row.claim())) {
        strays.add(new LostClaimReturner.LostClaim(row.claim(), null));
      }
    }
    for (HeldJob gone : before.values()) {
      if (gone.isUnreported()) {
        heldJobs.remove(gone); // Another node has recovered it.
      }
      // This node may just have written the outcome of a job that has ended.
      if (!gone.hasEnded() && heldJobs.find(gone.job().id()) == gone) {
        log.warn(
            "Job {} of task {} is no longer held by this node according to the database; its"
                + " attempt is interrupted and its outcome ignored",
            gone.job().id(),
            gone.job().task());
        gone.stop(StopReason.CLAIM_LOST);
      }
    }
    if (!strays.isEmpty()) {
      parts.strays().giveBack(tenure, strays);
    }
    return strays.isEmpty();
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

  /**
   * Registers a new incarnation, and marks the old one dead in the same step. Waits until the
   * interrupted code has ended, or its time to end is over, because other nodes may start its jobs
   * immediately after that.
   */
  private Moment startOver(Tenure old, Moment now) {
    parts.fence().shut(old, "it could not prove in time that it is alive");
    if (parts.office().unseated().getAsBoolean() || !parts.fence().isSettled(now)) {
      return now.plus(GLANCE); // A node that has lost its single-node lease is about to retire.
    }
    if (identity.isRetired()) {
      return Moment.NEVER; // The node was told to stop while it waited for a reply.
    }
    IncarnationFactory office = parts.office();
    // A registration that seems to have failed may have succeeded: a retry uses the same id.
    Tenure next =
        office.tenure(successor == null ? office.freshIncarnation() : successor.incarnation());
    successor = next;
    parts.nodes().register(office.card(next), office.modes(), old.incarnation());
    successor = null;
    identity.become(next);
    log.warn(
        "Node {} has registered again as incarnation {} and continues to claim jobs",
        identity.nodeId(),
        next.incarnation());
    parts.onStartedOver().run();
    return now; // The first heartbeat brings the current rules.
  }
}
