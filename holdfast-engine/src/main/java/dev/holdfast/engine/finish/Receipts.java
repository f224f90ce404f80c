package dev.holdfast.engine.finish;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What happens in this process once the store has confirmed how a job ended. */
public final class Receipts {
  private static final Logger log = LoggerFactory.getLogger(Receipts.class);

  private final HeldJobs heldJobs;
  private final Meters meters;
  private final SignalBus bus;
  private final LifecycleEvents events;
  private final Endings endings;
  private final Follower follower;

  /** Acts on the end of an attempt. It is called for each attempt, so it must not block. */
  @FunctionalInterface
  public interface Follower {
    /** Called when an attempt has ended, its outcome is stored, and its job is no longer held. */
    void ended(ClaimedJob job, Finish finish);

    /** Returns a follower that calls this one first and then the other. */
    default Follower andThen(Follower other) {
      return (job, finish) -> {
        ended(job, finish);
        other.ended(job, finish);
      };
    }
  }

  public Receipts(
      HeldJobs heldJobs,
      Meters meters,
      SignalBus bus,
      LifecycleEvents events,
      Endings endings,
      Follower follower) {
    this.heldJobs = heldJobs;
    this.meters = meters;
    this.bus = bus;
    this.events = events;
    this.endings = endings;
    this.follower = follower;
  }

  void record(HeldJob heldJob, Finish finish, Outcomes.Result answer) {
    heldJobs.remove(heldJob);
    announce(
        heldJob,
        () -> {
          switch (answer) {
            case WRITTEN -> written(heldJob.job(), finish);
            case CANCELLED_INSTEAD -> endings.cancelled(heldJob.job());
            case READY_INSTEAD -> ready(heldJob.job());
            case LOST -> lost(heldJob);
          }
          if (answer != Outcomes.Result.LOST) {
            follower.ended(heldJob.job(), finish);
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
      case Finish.Succeeded done -> endings.succeeded(job);
      case Finish.Dead dead -> endings.deadLettered(job, dead.failure());
      case Finish.Cancelled cancelled -> endings.cancelled(job);
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
