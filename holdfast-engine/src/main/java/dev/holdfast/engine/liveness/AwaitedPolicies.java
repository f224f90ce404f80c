package dev.holdfast.engine.liveness;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that wait for a node with a recovery policy for them: one that is alive or, for some
 * time, one that may be about to start.
 *
 * <p>Since when there is none is kept in memory, like the failures of policies. A sweeper that
 * restarts waits again, which costs time and no job.
 */
public final class AwaitedPolicies {
  private static final Logger log = LoggerFactory.getLogger(AwaitedPolicies.class);

  private final NodeStore nodes;
  private final Ticker ticker;
  private final Duration atMost;

  /** Whether other nodes have policies for these jobs, as far as this sweep knows. */
  private final Map<Kind, Boolean> advised = new HashMap<>();

  /** Since when no live node has had a policy for these jobs. */
  private final Map<Kind, Moment> unadvised = new HashMap<>();

  /** Jobs that the same nodes may decide about. */
  private record Kind(String task, @Nullable String stack) {}

  /**
   * @param atMost how long a job waits while no live node has a policy for it
   */
  public AwaitedPolicies(NodeStore nodes, Ticker ticker, Duration atMost) {
    this.nodes = nodes;
    this.ticker = ticker;
    this.atMost = atMost;
  }

  /** Starts a sweep. */
  void newSweep() {
    advised.clear();
  }

  /** Forgets the jobs that this sweep has not found any more. */
  void keepOnlyFound() {
    unadvised.keySet().retainAll(advised.keySet());
  }

  /** Returns whether a job, which this node has no policy for, waits for another node. */
  boolean awaits(Orphan orphan) {
    Kind kind = new Kind(orphan.task(), orphan.stack());
    if (advised.computeIfAbsent(kind, unknown -> nodes.isAdvised(kind.task, kind.stack))) {
      unadvised.remove(kind);
      return true;
    }
    Moment now = ticker.now();
    Moment since = unadvised.putIfAbsent(kind, now);
    if (since == null) {
      log.warn(
          "No live node has a recovery policy for task {}, which decides about its crashed jobs;"
              + " they are dead-lettered unless such a node starts within {}",
          kind.task,
          Times.describe(atMost));
    }
    return now.isBefore((since == null ? now : since).plus(atMost));
  }
}
