package dev.holdfast.engine.finish;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.JobRef;

/**
 * Announces that a job has ended, once that is stored: to the meters, to listeners, and to clients
 * that await it. It is used both when the holder ends the job and when another node recovers it.
 */
public final class Endings {
  private final Meters meters;
  private final LifecycleEvents events;
  private final SignalBus bus;
  private final AwaitedJobs awaited;

  public Endings(Meters meters, LifecycleEvents events, SignalBus bus, AwaitedJobs awaited) {
    this.meters = meters;
    this.events = events;
    this.bus = bus;
    this.awaited = awaited;
  }

  void succeeded(JobRef job) {
    meters.succeeded(job);
    events.finished(job, JobState.SUCCEEDED);
    ended(job);
  }

  public void cancelled(JobRef job) {
    meters.cancelled(job);
    events.finished(job, JobState.CANCELLED);
    ended(job);
  }

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
}
