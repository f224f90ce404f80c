package dev.holdfast.engine.liveness;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a tenure: after that, nothing is done under its incarnation. Everything the node runs is
 * interrupted and forgotten, and the outcomes are not reported. Threads that do not stop are
 * remembered, so that the node does not run the same job at the same time, and does not give it to
 * other nodes before that code has had its time to end.
 */
public final class Fence {
  private static final Logger log = LoggerFactory.getLogger(Fence.class);

  private final CurrentIncarnation identity;
  private final HeldJobs heldJobs;
  private final Meters meters;
  private final LifecycleEvents events;
  private final Ticker ticker;
  private final Duration margin;
  private List<HeldJob> interrupted = List.of();
  private Moment patientUntil = Moment.NEVER;

  /**
   * @param margin how long code may take to respond to interruption
   */
  public Fence(
      CurrentIncarnation identity,
      HeldJobs heldJobs,
      Meters meters,
      LifecycleEvents events,
      Ticker ticker,
      Duration margin) {
    this.events = events;
    this.identity = identity;
    this.heldJobs = heldJobs;
    this.meters = meters;
    this.ticker = ticker;
    this.margin = margin;
  }

  /** Ends the current tenure immediately, and prevents further incarnations. */
  public void shutForGood(String why) {
    shut(identity.retire(), why);
  }

  /** Returns whether all interrupted code has ended. */
  public synchronized boolean isQuiet() {
    return interrupted.stream().noneMatch(HeldJob::isRunning);
  }

  /**
   * Returns whether other nodes may run the interrupted jobs: their code has ended, or their time
   * to end is over.
   */
  public synchronized boolean isSettled(Moment now) {
    return !now.isBefore(patientUntil) || isQuiet();
  }

  /**
   * Ends this tenure, unless it was ended before. When this method returns, everything is
   * interrupted.
   */
  synchronized void shut(Tenure tenure, String why) {
    if (!tenure.end()) {
      return;
    }
    int dropped = 0;
    List<HeldJob> running = new ArrayList<>();
    for (HeldJob heldJob : heldJobs.all()) {
      if (heldJob.tenure() == tenure) {
        dropped++;
        if (heldJobs.abandon(heldJob)) {
          running.add(heldJob);
        }
      }
    }
    interrupted = running;
    patientUntil = ticker.now().plus(margin);
    meters.fenced();
    events.nodeFenced(tenure.incarnation());
    log.error(
        "Node {} fences itself: {}. {} jobs are interrupted, and their outcomes are not written;"
            + " the node {}",
        identity.nodeId(),
        why,
        dropped,
        identity.isRetired() ? "stops" : "registers again as a new incarnation");
  }
}
