package dev.holdfast.engine.run;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts on executors. {@link HandlerCaller} calls the handler, and {@link AttemptReporter}
 * reports how it ended.
 */
public final class Runner {
  private static final Logger log = LoggerFactory.getLogger(Runner.class);
  private static final Duration AFTER_REJECTION = Duration.ofSeconds(1);
  private static final Duration AFTER_RUNAWAY = Duration.ofSeconds(2);

  private final LogContext logs;
  private final Spans spans;
  private final HeldJobs heldJobs;
  private final HandlerCaller handlers;
  private final TimeoutWatcher timeoutWatcher;
  private final AttemptReporter reporter;
  private final Ticker ticker;

  /**
   * @param logs identifies this node in log lines
   * @param spans creates a span for each attempt
   */
  public Runner(
      LogContext logs,
      Spans spans,
      HeldJobs heldJobs,
      HandlerCaller handlers,
      TimeoutWatcher timeoutWatcher,
      AttemptReporter reporter,
      Ticker ticker) {
    this.logs = logs;
    this.spans = spans;
    this.heldJobs = heldJobs;
    this.handlers = handlers;
    this.timeoutWatcher = timeoutWatcher;
    this.reporter = reporter;
    this.ticker = ticker;
  }

  /**
   * Runs a started job on its lane's executor; one of the lane's slots is reserved for it. Never
   * throws: in all cases the slot is released once and the outcome reported once.
   */
  public void run(Lane lane, HeldJob heldJob) {
    try {
      reporter.started(heldJob.job());
      if (heldJobs.isRunaway(heldJob.job().id())) {
        // An earlier attempt still runs on a thread of this process: never run two at once.
        postpone(lane, heldJob, AFTER_RUNAWAY);
      } else {
        lane.executor().execute(() -> attempt(lane, heldJob));
      }
    } catch (Throwable refused) { // Rejected, no thread left, or a broken executor.
      postpone(lane, heldJob, AFTER_REJECTION);
      log.warn(
          "Executor {} rejected job {}; unless its code runs anyway, it is retried in {}: {}",
          lane.executor().name(),
          heldJob.job().id(),
          Times.describe(AFTER_REJECTION),
          refused.toString());
    }
  }

  /**
   * Runs the job later, unless its code has started: an executor may throw although it runs the
   * job.
   */
  private void postpone(Lane lane, HeldJob heldJob, Duration delay) {
    if (heldJob.withdraw()) {
      reporter.postponed(heldJob, delay);
    }
    if (!heldJob.isRunning()) {
      release(lane, heldJob);
    }
  }

  private void release(Lane lane, HeldJob heldJob) {
    if (heldJob.freeSlot()) {
      timeoutWatcher.release(lane, heldJob);
    }
  }

  private void attempt(Lane lane, HeldJob heldJob) {
    heldJob.occupies(lane);
    boolean settled = false;
    try {
      Moment began = ticker.now();
      heldJob.hasSlotSince(began);
      long started = began.nanos();
      AttemptOutcome outcome = outcomeOf(heldJob);
      settled = heldJob.settle();
      if (settled) {
        if (outcome instanceof AttemptOutcome.Returned
            && !timeoutWatcher.hasLostSlots()
            && lane.keepsSlotOf(heldJob)) {
          heldJob.keepSlot(); // Before the report: what follows may start once it is stored.
        }
        reporter.ended(heldJob, outcome, ticker.now().nanos() - started);
      } else {
        reporter.tooLate(heldJob);
      }
    } catch (Throwable broken) {
      heldJob.releaseKeptSlot();
      if (settled || heldJob.settle()) {
        reporter.unreported(heldJob, broken);
      }
    } finally {
      release(lane, heldJob);
      logs.leave();
    }
  }

  /**
   * Makes the attempt. Any exception around the handler fails the attempt, as if the handler had
   * thrown it.
   */
  private AttemptOutcome outcomeOf(HeldJob heldJob) {
    try {
      logs.enter(heldJob);
      if (!heldJob.start()) {
        return new AttemptOutcome.NeverStarted();
      }
      if (heldJob.isSuspect()) {
        heldJobs.suspects().started(heldJob.claim(), ticker.now());
      }
      try (TimeoutWatcher.Watch watch = timeoutWatcher.watch(heldJob);
          Spans.Attempt span = spans.start(heldJob.job())) {
        AttemptOutcome outcome = handlers.call(heldJob);
        if (outcome instanceof AttemptOutcome.Threw(String code, Throwable thrown)) {
          span.failed(code, thrown);
        }
        return outcome;
      }
    } catch (Throwable broken) {
      log.error(
          "Job {} failed outside its handler; its attempt counts as failed",
          heldJob.job().id(),
          broken);
      return new AttemptOutcome.Threw(FailureCode.TASK_FAILED, broken);
    } finally {
      heldJob.handlerReturned(); // In case the handler was never called.
    }
  }
}
