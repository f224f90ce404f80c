package dev.holdfast.engine.live;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a tenure: from then on nothing is done in its name. Everything the node runs is interrupted
 * and forgotten; what its code returns is not reported. The threads that do not stop are
 * remembered, so that the node does not run the same job beside one of them.
 */
public final class Fence {
  private static final Logger log = LoggerFactory.getLogger(Fence.class);

  private final Identity identity;
  private final Holdings holdings;
  private final Meters meters;
  private final LifecycleEvents events;

  public Fence(Identity identity, Holdings holdings, Meters meters, LifecycleEvents events) {
    this.events = events;
    this.identity = identity;
    this.holdings = holdings;
    this.meters = meters;
  }

  /** End the tenure in office at once, and let no other follow. */
  public void shutForGood(String why) {
    shut(identity.retire(), why);
  }

  /** End this tenure, unless somebody has. */
  void shut(Tenure tenure, String why) {
    if (!tenure.end()) {
      return;
    }
    int dropped = 0;
    for (Holding holding : holdings.all()) {
      if (holding.tenure() == tenure) {
        holdings.abandon(holding);
        dropped++;
      }
    }
    meters.fenced();
    events.nodeFenced(tenure.incarnation());
    log.error(
        "Node {} fences itself: {}. {} jobs are interrupted, and nothing is written for them; it"
            + " {}",
        identity.nodeId(),
        why,
        dropped,
        identity.isRetired() ? "stops" : "starts over as a new incarnation");
  }
}
