package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of this node. A {@link ClaimReconciler} compares the jobs it holds with
 * those that the database says it holds. When the node has been fenced, the Heart registers a new
 * incarnation; it never sends a heartbeat for the old one again.
 */
public final class Heart implements Role {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);
  private static final Duration GLANCE = Duration.ofMillis(20);

  private final NodeStore nodes;
  private final IncarnationFactory incarnations;
  private final CurrentIncarnation identity;
  private final Fence fence;
  private final ClaimReconciler reconciler;
  private final HeartbeatInterval interval;
  private final Supplier<Lost> lost;
  private final Listener listener;
  private int failures;
  private @Nullable Tenure successor;

  /** Learns what a Heart finds out. */
  public interface Listener {
    /** Called before each heartbeat; returns what processes the reply. */
    Consumer<HeartbeatReply> beforeHeartbeat();

    /** Called when a new incarnation has been registered. */
    void startedOver();
  }

  /**
   * @param incarnations creates the registrations and tenures of the node's incarnations
   * @param lost the slots that hung handlers occupy at present
   */
  public Heart(
      NodeStore nodes,
      IncarnationFactory incarnations,
      Fence fence,
      ClaimReconciler reconciler,
      HeartbeatInterval interval,
      Supplier<Lost> lost,
      Listener listener) {
    this.nodes = nodes;
    this.incarnations = incarnations;
    this.identity = incarnations.identity();
    this.fence = fence;
    this.reconciler = reconciler;
    this.interval = interval;
    this.lost = lost;
    this.listener = listener;
  }

  @Override
  public String name() {
    return "heart";
  }

  /** Registers the node. Must be called before anything is claimed. */
  public void register() {
    Tenure first = incarnations.tenure(identity.incarnation());
    nodes.register(incarnations.registration(first), incarnations.modes(), null);
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
      Moment next =
          tenure.isOver() ? startOver(tenure, now) : now.plus(interval.next(reconciler.size()));
      failures = 0;
      return next;
    } catch (StoreException failure) {
      Duration delay = interval.afterFailure();
      failures++;
      log.warn(
          "Heartbeat failed (attempt {}), retrying in {}: {}",
          failures,
          Times.describe(delay),
          failure.getMessage());
      return now.plus(delay);
    }
  }

  private void beat(Tenure tenure, Moment now) {
    ClaimReconciler.Snapshot before = reconciler.snapshot(now);
    Consumer<HeartbeatReply> hearer = listener.beforeHeartbeat();
    Instant timeOfDay = incarnations.ticker().timeOfDay();
    Optional<HeartbeatReply> reply =
        nodes.beat(
            new Heartbeat(
                tenure.incarnation(),
                before.jobs().size(),
                before.oldestCall(),
                interval.patience(),
                now.until(tenure.deadline()),
                interval.kept(),
                lost.get()));
    if (reply.isEmpty()) {
      fence.shut(tenure, "other nodes have declared it dead");
    } else if (reply.get().fenceRequested()) {
      hearer.accept(reply.get()); // The next incarnation continues in the current modes.
      fence.shut(tenure, "an operator requested it");
    } else if (tenure.extend(now, timeOfDay)) {
      hearer.accept(reply.get());
      reconciler.reconcile(tenure, before, reply.get());
    } else {
      fence.shut(tenure, "the reply to a heartbeat came too late");
    }
  }

  /**
   * Registers a new incarnation, and marks the old one dead in the same step. Waits until the
   * interrupted code has ended, or its time to end is over, because other nodes may start its jobs
   * immediately after that.
   */
  private Moment startOver(Tenure old, Moment now) {
    fence.shut(old, "it could not prove in time that it is alive");
    if (incarnations.unseated().getAsBoolean() || !fence.isSettled(now)) {
      return now.plus(GLANCE); // A node that has lost its single-node lease is about to retire.
    }
    if (identity.isRetired()) {
      return Moment.NEVER; // The node was told to stop while it waited for a reply.
    }
    // A registration that seems to have failed may have succeeded: a retry uses the same id.
    Tenure next =
        incarnations.tenure(
            successor == null ? incarnations.freshIncarnation() : successor.incarnation());
    successor = next;
    nodes.register(incarnations.registration(next), incarnations.modes(), old.incarnation());
    successor = null;
    identity.become(next);
    log.warn(
        "Node {} has registered again as incarnation {} and continues to claim jobs",
        identity.nodeId(),
        next.incarnation());
    listener.startedOver();
    return now; // The first heartbeat brings the current rules.
  }
}
