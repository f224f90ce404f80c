package dev.holdfast.engine.live;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.claim.QueueRules;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.StopReason;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.BeatReply;
import dev.holdfast.engine.store.NodeBook.ClaimRow;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that this node lives, and compares what it holds with what the database says it holds. */
public final class Heart implements Role {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);

  private final NodeBook nodes;
  private final Claims claims;
  private final Identity identity;
  private final Function<Identity, NodeBook.NodeCard> card;
  private final ClaimCalls calls;
  private final Holdings holdings;
  private final QueueRules rules;
  private final Runnable onNewRules;
  private final Duration interval;

  /**
   * What a heart watches over.
   *
   * @param card how the node introduces itself
   * @param onNewRules told when rules of queues have changed
   * @param interval between beats while busy; twice that while idle
   */
  public record Parts(
      NodeBook nodes,
      Claims claims,
      Identity identity,
      Function<Identity, NodeBook.NodeCard> card,
      ClaimCalls calls,
      Holdings holdings,
      QueueRules rules,
      Runnable onNewRules,
      Duration interval) {}

  public Heart(Parts parts) {
    this.nodes = parts.nodes();
    this.claims = parts.claims();
    this.identity = parts.identity();
    this.card = parts.card();
    this.calls = parts.calls();
    this.holdings = parts.holdings();
    this.rules = parts.rules();
    this.onNewRules = parts.onNewRules();
    this.interval = parts.interval();
  }

  @Override
  public String name() {
    return "heart";
  }

  /** Make the node known; before anything is claimed. */
  public void register() {
    nodes.register(card.apply(identity));
  }

  @Override
  public Moment tick(Moment now) {
    // Calls first, holdings second: a call that ends in between has its jobs among the holdings.
    ClaimCalls.Seen seen = calls.look(now);
    Map<JobId, Holding> before = new HashMap<>();
    long oldestCall = seen.oldest();
    for (Holding holding : holdings.all()) {
      before.put(holding.job().id(), holding);
      oldestCall = Math.min(oldestCall, holding.claimNo());
    }
    try {
      Optional<BeatReply> reply = nodes.beat(identity.incarnation(), before.size(), oldestCall);
      if (reply.isPresent()) {
        reconcile(reply.get(), seen, before);
      } else {
        startOver();
      }
    } catch (StoreException failure) {
      log.warn("A heartbeat failed and is tried again: {}", failure.getMessage());
      return now.plus(interval.dividedBy(4));
    }
    return now.plus(holdings.size() == 0 ? interval.multipliedBy(2) : interval);
  }

  private void reconcile(BeatReply reply, ClaimCalls.Seen seen, Map<JobId, Holding> before) {
    List<Held> strangers = new ArrayList<>();
    for (ClaimRow row : reply.claims()) {
      Holding holding = before.remove(row.held().id());
      if (holding != null && holding.job().token() == row.held().token()) {
        if (row.cancelRequested() && holding.stopReason() == null) {
          holding.stop(StopReason.CANCELLED);
        }
      } else if (seen.wasOver(row.claimNo()) && isUnknown(row.held())) {
        strangers.add(row.held());
      }
    }
    for (Holding gone : before.values()) {
      // One that has ended may have left the books by our own hand just now.
      if (!gone.hasEnded() && holdings.find(gone.job().id()) == gone) {
        log.warn(
            "Job {} of {} is no longer held by this node; it is interrupted",
            gone.job().id(),
            gone.job().task());
        gone.stop(StopReason.CLAIM_LOST);
      }
    }
    if (!strangers.isEmpty()) {
      Set<Held> given = claims.giveBack(identity.incarnation(), strangers);
      log.warn("{} jobs of claims whose answer was lost went back, unspent", given.size());
    }
    if (rules.update(reply.rules())) {
      onNewRules.run();
    }
  }

  /** Whether the job is not among the holdings now, nor was when the beat was sent. */
  private boolean isUnknown(Held held) {
    Holding now = holdings.find(held.id());
    return now == null || now.job().token() != held.token();
  }

  /** The books say that this incarnation is dead: nothing it holds is its own any more. */
  private void startOver() {
    log.error(
        "Node {} is dead in the books; everything it runs is interrupted and it starts over",
        identity.nodeId());
    for (Holding holding : holdings.all()) {
      holding.stop(StopReason.CLAIM_LOST);
    }
    identity.renew();
    register();
  }
}
