package dev.holdfast.engine.live;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.StopReason;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.Beat;
import dev.holdfast.engine.store.NodeBook.BeatReply;
import dev.holdfast.engine.store.NodeBook.ClaimRow;
import dev.holdfast.engine.store.NodeBook.Lost;
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
  private final Identity identity;
  private final Holdings holdings;
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
      NodeBook nodes,
      Strays strays,
      Office office,
      Fence fence,
      ClaimCalls calls,
      Holdings holdings,
      BeatPace pace,
      Supplier<Lost> lost,
      Supplier<Consumer<BeatReply>> hearing,
      Runnable onStartedOver) {}

  public Heart(Parts parts) {
    this.parts = parts;
    this.identity = parts.office().identity();
    this.holdings = parts.holdings();
  }

  @Override
  public String name() {
    return "heart";
  }

  /** Make the node known; before anything is claimed. */
  public void register() {
    Office office = parts.office();
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
          : now.plus(parts.pace().next(holdings.size()));
    } catch (StoreException failure) {
      log.warn("A heartbeat failed and is tried again: {}", failure.getMessage());
      return now.plus(parts.pace().afterFailure());
    }
  }

  private void beat(Tenure tenure, Moment now) {
    // Calls first, holdings second: a call that ends in between has its jobs among the holdings.
    ClaimCalls.Seen seen = parts.calls().look();
    Map<JobId, Holding> before = new HashMap<>();
    long oldestCall = seen.oldest();
    for (Holding holding : holdings.all()) {
      before.put(holding.job().id(), holding);
      oldestCall = Math.min(oldestCall, holding.claimNo());
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
    } else if (reply.get().dismissed()) {
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
      Tenure tenure, BeatReply reply, ClaimCalls.Seen seen, Map<JobId, Holding> before) {
    List<Strays.Stray> strays = new ArrayList<>();
    for (ClaimRow row : reply.claims()) {
      Holding holding = before.remove(row.held().id());
      if (holding != null && holding.job().token() == row.held().token()) {
        if (holding.isUnreported()) {
          strays.add(new Strays.Stray(row.held(), holding));
        } else {
          obey(row, holding);
        }
      } else if (seen.wasOver(row.claimNo()) && Strays.isUnknown(holdings, row.held())) {
        strays.add(new Strays.Stray(row.held(), null));
      }
    }
    for (Holding gone : before.values()) {
      if (gone.isUnreported()) {
        holdings.remove(gone); // Somebody else has taken it back.
      }
      // One that has ended may have left the books by our own hand just now.
      if (!gone.hasEnded() && holdings.find(gone.job().id()) == gone) {
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

  private static void obey(ClaimRow row, Holding holding) {
    if (holding.stopReason() != null) {
      return;
    }
    if (row.cancelRequested()) {
      holding.stop(StopReason.CANCELLED);
    } else if (row.releaseRequested()) {
      holding.stop(StopReason.HANDED_BACK);
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
    Office office = parts.office();
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
