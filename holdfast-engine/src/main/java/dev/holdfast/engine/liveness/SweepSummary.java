package dev.holdfast.engine.liveness;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.finish.ConfirmedOutcomes;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects what a sweep recovered from one holder, and notifies the nodes and listeners that it
 * concerns.
 */
final class SweepSummary {
  private static final Logger log = LoggerFactory.getLogger(SweepSummary.class);

  private final SignalBus bus;
  private final Meters meters;
  private final ConfirmedOutcomes confirmed;
  private final Map<String, Integer> ready = new TreeMap<>();
  private int withoutCrash;
  private int crashed;
  private int deadLettered;
  private int cancelled;

  SweepSummary(SignalBus bus, Meters meters, ConfirmedOutcomes confirmed) {
    this.bus = bus;
    this.meters = meters;
    this.confirmed = confirmed;
  }

  void add(Orphan orphan, RecoveryAction action, Result result) {
    meters.recovered(orphan);
    if (result == Result.CANCELLED_INSTEAD) {
      cancelled++;
      confirmed.cancelled(orphan);
      return;
    }
    switch (action) {
      case RecoveryAction.NotStarted back -> goesBack(orphan);
      case RecoveryAction.AfterFencing fenced -> goesBack(orphan);
      case RecoveryAction.AfterCrash(var held, Duration delay, var suspicion, var failure) -> {
        crashed++;
        if (delay.isPositive()) {
          bus.publish(new Signal.Scheduled(delay));
        } else {
          ready.merge(orphan.queue(), orphan.priority(), Math::max);
        }
      }
      case RecoveryAction.DeadLetter(var held, Finish.Failure failure) -> {
        deadLettered++;
        confirmed.deadLettered(orphan, failure);
      }
    }
  }

  private void goesBack(Orphan orphan) {
    withoutCrash++;
    ready.merge(orphan.queue(), orphan.priority(), Math::max);
  }

  SweepCounts counts() {
    return new SweepCounts(withoutCrash, crashed, deadLettered, cancelled);
  }

  /** Wakes the nodes that can run the jobs, and logs a summary. */
  void announce(Loss loss) {
    ready.forEach((queue, priority) -> bus.publish(new Signal.NewWork(queue, priority)));
    // The dead node may have ended steps and died before it advanced their runs.
    bus.publish(new Signal.RunsMarked(Duration.ZERO));
    if (counts().total() > 0) {
      log.warn(
          "Jobs of node {}, silent for {}, were recovered: {} without a crash, {} after a crash,"
              + " {} dead-lettered, {} cancelled",
          loss.id(),
          Times.describe(loss.silence()),
          withoutCrash,
          crashed,
          deadLettered,
          cancelled);
    }
  }
}
