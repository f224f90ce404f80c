package dev.holdfast.engine.finish;

import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Alerts operators when the outcomes of ended attempts cannot be written: their jobs stay RUNNING,
 * the node keeps sending heartbeats, and no other check would detect it.
 */
final class FinishAlarm {
  private static final Logger log = LoggerFactory.getLogger(FinishAlarm.class);

  /** How long a report may wait before it is logged as an error. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Meters.Reports gauges;
  private volatile boolean stalled;
  private @Nullable Moment withoutProgressSince;
  private @Nullable Moment logged;
  private @Nullable RuntimeException latest;

  FinishAlarm(Meters meters) {
    this.gauges = meters.reports();
  }

  /** Returns whether nothing at all could be written for a minute although reports wait. */
  boolean isStalled() {
    return stalled;
  }

  void progressed() {
    withoutProgressSince = null;
  }

  void failed(RuntimeException failure) {
    latest = failure;
  }

  /** Checks the reports that are left to be written after an attempt to write. */
  void look(List<Report> pending, int waiting, Moment now) {
    Report oldest = null;
    for (Report report : pending) {
      oldest = oldest == null || report.since.isBefore(oldest.since) ? report : oldest;
    }
    if (oldest == null) {
      withoutProgressSince = null;
      logged = null;
      stalled = false;
      gauges.set(waiting, Duration.ZERO);
      return;
    }
    if (withoutProgressSince == null) {
      withoutProgressSince = now;
    }
    stalled = withoutProgressSince.until(now).compareTo(PATIENCE) >= 0;
    Duration age = oldest.since.until(now);
    gauges.set(pending.size() + waiting, age);
    if (age.compareTo(PATIENCE) >= 0
        && (logged == null || logged.until(now).compareTo(PATIENCE) >= 0)) {
      logged = now;
      log.error(
          "Job {} of {} ended {} s ago, but its outcome could not be written yet; {} reports wait,"
              + " and their jobs stay RUNNING. Retrying until they are written or this node is"
              + " fenced. Last failure: {}",
          oldest.heldJob.job().id(),
          oldest.heldJob.job().task(),
          age.toSeconds(),
          pending.size() + waiting,
          latest == null ? "none" : latest.getMessage());
    }
  }
}
