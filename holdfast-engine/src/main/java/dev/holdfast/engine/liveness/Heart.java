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
 * Says that this node lives, and compares what it holds with what the database says it holds. When
 * the node has been fenced it registers a new incarnation; it never beats for the old one again.
 */
public final class Heart implements Role {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);
  private static final Duration GLANCE = Duration.ofMillis(20);

  private final Parts parts;
  private final CurrentIncarnation identity;
  private final HeldJobs heldJobs;
  private @Nullable Tenure successor;

  /**
   * What a heart watches over.
   *
   * @param office how the node introduces itself, and for how long
   * @param lost what hung handlers cost the node at present
   * @param hearing asked before each beat for who is to be told of the answer
   * @param onStartedOver told when a new incarnation is in office
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

  /** Make the node known; before anything is claimed. */
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
      log.warn("A heartbeat failed and is tried again: {}", failure.getMessage());
      return now.plus(parts.pace().afterFailure());
    }
  }

  private void beat(Tenure tenure, Moment now) {
    // Calls first, holdings second: a call that ends in between has its jobs among the holdings.
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
      parts.fence().shut(tenure, "others have found it dead");
    } else if (reply.get().fenceRequested()) {
      hearer.accept(reply.get()); // Its successor goes on in the modes that are in force.
      parts.fence().shut(tenure, "somebody has dismissed it");
    } else if (tenure.extend(now, timeOfDay)) {
      hearer.accept(reply.get());
      if (reconcile(tenure, reply.get(), seen, before)) {
        parts.calls().nothingFound(now);
      }
    } else {
      parts.fence().shut(tenure, "the answer to a heartbeat came too late");
    }
  }

  /**
   * Compare.
   *
   * @return whether all jobs were known here
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
        heldJobs.remove(gone); // Somebody else has taken it back.
      }
      // One that has ended may have left the books by our own hand just now.
      if (!gone.hasEnded() && heldJobs.find(gone.job().id()) == gone) {
        log.warn(
            "Job {} of {} is no longer held by this node; it is interrupted",
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
   * Register a new incarnation, and let the old one be dead in the same step; not before the code
   * that was interrupted has ended or had its time to, since others begin its jobs at once then.
   */
  private Moment startOver(Tenure old, Moment now) {
    parts.fence().shut(old, "it could not show in time that it lives");
    if (parts.office().unseated().getAsBoolean() || !parts.fence().isSettled(now)) {
      return now.plus(GLANCE); // Who has no place here any more is about to be retired.
    }
    if (identity.isRetired()) {
      return Moment.NEVER; // It was told to stop while it waited for the reply to a heartbeat.
    }
    IncarnationFactory office = parts.office();
    // A try that seems to have failed may have been carried out: the next one is for the same.
    Tenure next =
        office.tenure(successor == null ? office.freshIncarnation() : successor.incarnation());
    successor = next;
    parts.nodes().register(office.card(next), office.modes(), old.incarnation());
    successor = null;
    identity.become(next);
    log.warn("Node {} has started over", identity.nodeId());
    parts.onStartedOver().run();
    return now; // A new incarnation asks at once what it is to do.
  }
}
