package dev.holdfast.engine.run;

import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports that attempts have started, and how they ended. */
public final class AttemptReporter {
  private static final Logger log = LoggerFactory.getLogger(AttemptReporter.class);

  private final HeldJobs heldJobs;
  private final FinishDecision decision;
  private final NotesWriter notes;
  private final FinishSink sink;
  private final Telemetry telemetry;

  /**
   * @param notes stores the last notes of an attempt before its outcome
   * @param sink takes the outcomes
   */
  public AttemptReporter(
      HeldJobs heldJobs,
      FinishDecision decision,
      NotesWriter notes,
      FinishSink sink,
      Telemetry telemetry) {
    this.heldJobs = heldJobs;
    this.decision = decision;
    this.notes = notes;
    this.sink = sink;
    this.telemetry = telemetry;
  }

  /** Announces that the attempt of a job is about to run. */
  void started(ClaimedJob job) {
    telemetry.meters().started(job, Duration.between(job.readyAt(), job.claimedAt()));
    telemetry.events().started(job);
  }

  /** Reports that the job runs later, because its attempt could not run now. */
  void postponed(HeldJob heldJob, Duration delay) {
    try {
      sink.finish(heldJob, new Finish.Later(heldJob.claim(), delay, false));
    } catch (Throwable broken) {
      unreported(heldJob, broken);
    }
  }

  /** Reports the outcome of the attempt, even if it cannot be evaluated. */
  void ended(HeldJob heldJob, AttemptOutcome outcome, long nanos) {
    telemetry.meters().ran(heldJob.job(), nanos);
    if (heldJob.stopReason() == StopReason.CLAIM_LOST) {
      heldJobs.remove(heldJob);
      telemetry.meters().staleWrite(heldJob.job());
      return;
    }
    notes.saveLast(heldJob);
    Finish finish;
    try {
      finish = decision.of(heldJob, outcome, heldJob.stoppedBy());
    } catch (Throwable broken) {
      log.error(
          "The outcome of job {} could not be evaluated; its attempt counts as failed",
          heldJob.job().id(),
          broken);
      finish = decision.withoutOutcome(heldJob);
    }
    if (finish == null) {
      sink.handBack(heldJob);
    } else {
      sink.finish(heldJob, finish);
    }
  }

  /** Discards the outcome of an attempt that was given up before it ended. */
  void tooLate(HeldJob heldJob) {
    if (heldJob.tenure().isOver()) {
      telemetry.meters().staleWrite(heldJob.job());
    }
    log.warn(
        "Job {} of {} ended after its attempt had been given up; its result is discarded",
        heldJob.job().id(),
        heldJob.job().task());
  }

  /** Leaves it to the next heartbeat to hand the job back. */
  void unreported(HeldJob heldJob, Throwable broken) {
    heldJob.markUnreported();
    log.error(
        "The outcome of job {} of {} could not be reported; the next heartbeat hands it back",
        heldJob.job().id(),
        heldJob.job().task(),
        broken);
  }
}
