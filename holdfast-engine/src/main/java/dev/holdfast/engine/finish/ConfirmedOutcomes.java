package dev.holdfast.engine.finish;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.JobRef;
import dev.holdfast.engine.store.Outcomes;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process does once the store has confirmed how a job ended: it no longer holds the job,
 * counts it, notifies listeners, and notifies clients that await it. It is used both when the
 * holder ends the job and when another node recovers it.
 */
public final class ConfirmedOutcomes {
  private static final Logger log = LoggerFactory.getLogger(ConfirmedOutcomes.class);

  private final HeldJobs heldJobs;
  private final Meters meters;
  private final LifecycleEvents events;
  private final SignalBus bus;
  private final AwaitedJobs awaited;
  private final BiConsumer<ClaimedJob, Finish> onEnded;

  /**
   * @param onEnded called when an attempt of this node has ended, its outcome is stored, and its
   *     job is no longer held; it must not block
   */
  public ConfirmedOutcomes(
      HeldJobs heldJobs,
      Telemetry telemetry,
      SignalBus bus,
      AwaitedJobs awaited,
      BiConsumer<ClaimedJob, Finish> onEnded) {
    this.heldJobs = heldJobs;
    this.meters = telemetry.meters();
    this.events = telemetry.events();
    this.bus = bus;
    this.awaited = awaited;
    this.onEnded = onEnded;
  }

  /** Records the result for an attempt of this node. */
  void record(HeldJob heldJob, Finish finish, Outcomes.Result result) {
    heldJobs.remove(heldJob);
    announce(
        heldJob,
        () -> {
          bus.jobsChanged();
          switch (result) {
            case WRITTEN -> written(heldJob.job(), finish);
            case CANCELLED_INSTEAD -> cancelled(heldJob.job());
            case READY_INSTEAD -> ready(heldJob.job());
            case LOST -> lost(heldJob);
          }
          if (result != Outcomes.Result.LOST) {
            onEnded.accept(heldJob.job(), finish);
          }
        });
  }

  /** The outcome is stored: a failure from here on must not cause the group to be written again. */
  private static void announce(HeldJob heldJob, Runnable announcement) {
    try {
      announcement.run();
    } catch (RuntimeException | Error broken) {
      log.warn(
          "The outcome of job {} of {} is stored but could not be announced; polling will find what"
              + " depends on it",
          heldJob.job().id(),
          heldJob.job().task(),
          broken);
    }
  }

  private void written(ClaimedJob job, Finish finish) {
    switch (finish) {
      case Finish.Succeeded done -> succeeded(job);
      case Finish.Dead dead -> deadLettered(job, dead.failure());
      case Finish.Cancelled cancelled -> cancelled(job);
      case Finish.RetryIn retry -> {
        meters.retried(job);
        events.retried(job, retry);
        bus.publishHere(new Signal.Scheduled(retry.delay()));
      }
      case Finish.Parked parked -> bus.publishHere(new Signal.Scheduled(parked.wake()));
      case Finish.Later later -> bus.publishHere(new Signal.Scheduled(later.delay()));
    }
  }

  private void ready(ClaimedJob job) {
    bus.publish(new Signal.NewWork(job.queue(), job.priority()));
  }

  private void succeeded(JobRef job) {
    meters.succeeded(job);
    events.finished(job, JobState.SUCCEEDED);
    ended(job);
  }

  /** Announces that a job ended CANCELLED. */
  public void cancelled(JobRef job) {
    meters.cancelled(job);
    events.finished(job, JobState.CANCELLED);
    ended(job);
  }

  /** Announces that a job was dead-lettered. */
  public void deadLettered(JobRef job, Finish.Failure failure) {
    meters.failed(job);
    events.deadLettered(job, failure);
    ended(job);
  }

  private void ended(JobRef job) {
    if (awaited.remove(job.id())) {
      bus.publish(new Signal.JobEnded(job.id()));
    }
  }

  private void lost(HeldJob heldJob) {
    heldJob.stop(StopReason.CLAIM_LOST);
    meters.staleWrite(heldJob.job());
    log.warn(
        "Job {} of {} was no longer held by this node under token {}; the outcome of this attempt"
            + " was not written",
        heldJob.job().id(),
        heldJob.job().task(),
        heldJob.job().token());
  }

  /** Records that the node was fenced before the outcome could be written. */
  void recordVoid(HeldJob heldJob) {
    heldJobs.remove(heldJob);
    meters.staleWrite(heldJob.job());
  }

  void recordGivenBack(HeldJob heldJob, boolean given) {
    heldJobs.remove(heldJob);
    announce(
        heldJob,
        () -> {
          if (given) {
            ready(heldJob.job());
          } else {
            lost(heldJob);
          }
        });
  }
}
