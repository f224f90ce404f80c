package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.run.TaskRegistry.Registered;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts on executors and turns however they go into a report. */
public final class Runner {
  private static final Logger log = LoggerFactory.getLogger(Runner.class);
  private static final Duration AFTER_REJECTION = Duration.ofSeconds(1);
  private static final Duration AFTER_RUNAWAY = Duration.ofSeconds(2);

  /**
   * What a runner is made of.
   *
   * @param logs who this node is
   * @param spans makes attempts visible to whoever traces
   * @param unreadable knows whether another node may read what this one cannot
   * @param resultLimit how large an encoded result may be, in bytes of UTF-8
   */
  public record Parts(
      LogContext logs,
      Spans spans,
      TaskRegistry tasks,
      PayloadCodec codec,
      HeldJobs heldJobs,
      FinishSink sink,
      TimeoutWatcher timeoutWatcher,
      Unreadable unreadable,
      Meters meters,
      Ticker ticker,
      RandomGenerator random,
      int resultLimit) {}

  /** How user code went. */
  private sealed interface AttemptOutcome {
    record Returned(@Nullable Object value) implements AttemptOutcome {}

    record Threw(String code, Throwable thrown) implements AttemptOutcome {}

    record NeverBegan() implements AttemptOutcome {}
  }

  private final Parts parts;

  public Runner(Parts parts) {
    this.parts = parts;
  }

  /**
   * Run a started job on its lane's executor; one of the lane's slots is reserved for it. Never
   * throws: from here on the slot is given back and the end reported, once each, whatever happens.
   */
  public void run(Lane lane, HeldJob heldJob) {
    try {
      if (parts.heldJobs().isRunaway(heldJob.job().id())) {
        // An earlier attempt still runs on a thread of this process: never two at once.
        postpone(lane, heldJob, AFTER_RUNAWAY);
      } else {
        lane.executor().execute(() -> attempt(lane, heldJob));
      }
    } catch (Throwable refused) { // It refuses, no thread can be had, or it is broken.
      postpone(lane, heldJob, AFTER_REJECTION);
      log.warn(
          "Executor {} refused job {}; unless its code runs all the same, it is tried again in {}:"
              + " {}",
          lane.executor().name(),
          heldJob.job().id(),
          AFTER_REJECTION,
          refused.toString());
    }
  }

  /** Run it later, unless its code has started: an executor may throw although it runs the job. */
  private void postpone(Lane lane, HeldJob heldJob, Duration delay) {
    if (heldJob.withdraw()) {
      try {
        parts.sink().finish(heldJob, new Finish.Later(heldJob.claim(), delay, false));
      } catch (Throwable broken) {
        unreported(heldJob, broken);
      }
    }
    if (!heldJob.isRunning()) {
      release(lane, heldJob);
    }
  }

  private void release(Lane lane, HeldJob heldJob) {
    if (heldJob.freeSlot()) {
      parts.timeoutWatcher().release(lane, heldJob);
    }
  }

  private static void unreported(HeldJob heldJob, Throwable broken) {
    heldJob.markUnreported();
    log.error(
        "How job {} of {} ended could not be reported; the next heartbeat gives the job back",
        heldJob.job().id(),
        heldJob.job().task(),
        broken);
  }

  private void attempt(Lane lane, HeldJob heldJob) {
    heldJob.occupies(lane);
    boolean settled = false;
    try {
      long begin = parts.ticker().now().nanos();
      AttemptOutcome went = begin(heldJob);
      settled = heldJob.settle();
      if (settled) {
        parts.meters().ran(heldJob.job(), parts.ticker().now().nanos() - begin);
        reportAnyhow(heldJob, went);
      } else {
        if (heldJob.tenure().isOver()) {
          parts.meters().staleWrite(heldJob.job());
        }
        log.warn(
            "Job {} of {} came back after it had been given up; what it brought is void",
            heldJob.job().id(),
            heldJob.job().task());
      }
    } catch (Throwable broken) {
      if (settled || heldJob.settle()) {
        unreported(heldJob, broken);
      }
    } finally {
      release(lane, heldJob);
      parts.logs().leave();
    }
  }

  /** Whatever fails around the handler fails the attempt, as if the handler had. */
  private AttemptOutcome begin(HeldJob heldJob) {
    try {
      parts.logs().enter(heldJob);
      if (!heldJob.begin()) {
        return new AttemptOutcome.NeverBegan();
      }
      if (heldJob.isSuspect()) {
        parts.heldJobs().suspects().started(heldJob.claim(), parts.ticker().now());
      }
      return invoke(heldJob);
    } catch (Throwable broken) {
      log.error("Job {} could not be run as it should be", heldJob.job().id(), broken);
      return new AttemptOutcome.Threw(FailureCode.TASK_FAILED, broken);
    }
  }

  private AttemptOutcome invoke(HeldJob heldJob) {
    try {
      return watched(heldJob);
    } finally {
      heldJob.handlerReturned(); // Where the handler was never called.
    }
  }

  private AttemptOutcome watched(HeldJob heldJob) {
    JobPolicy policy = heldJob.policy();
    if (policy.timeout() == null && policy.heartbeatTimeout() == null) {
      return traced(heldJob);
    }
    TimeoutWatcher.Watch watch = parts.timeoutWatcher().watch(heldJob);
    try {
      return traced(heldJob);
    } finally {
      parts.timeoutWatcher().forget(watch);
    }
  }

  private AttemptOutcome traced(HeldJob heldJob) {
    Spans.Attempt span = parts.spans().begin(heldJob.job());
    try {
      AttemptOutcome went = attempt(heldJob);
      if (went instanceof AttemptOutcome.Threw(String code, Throwable thrown)) {
        span.failed(code, thrown);
      }
      return went;
    } finally {
      span.end();
    }
  }

  private AttemptOutcome attempt(HeldJob heldJob) {
    try {
      return call(heldJob, registered(heldJob));
    } catch (
        Throwable thrown) { // An Error of a handler costs its own job an attempt, not the node.
      return new AttemptOutcome.Threw(RetryDecision.codeOf(thrown), thrown);
    } finally {
      // At once: what comes after it, such as the end of a span, must not be interrupted, nor may a
      // request to stop that comes meanwhile void what the handler did.
      heldJob.handlerReturned();
    }
  }

  private Registered<?, ?> registered(HeldJob heldJob) {
    return parts
        .tasks()
        .find(heldJob.job().task())
        .orElseThrow(
            () -> new IllegalStateException("No handler for task " + heldJob.job().task()));
  }

  private <P, R> AttemptOutcome call(HeldJob heldJob, Registered<P, R> task) throws Exception {
    P payload;
    try {
      String text = heldJob.job().payload();
      payload = text == null ? null : parts.codec().decode(text, task.type().payload());
    } catch (RuntimeException | LinkageError unreadable) { // A codec of the user may throw any.
      return new AttemptOutcome.Threw(FailureCode.BAD_PAYLOAD, unreadable);
    }
    if (payload == null) {
      return new AttemptOutcome.Threw(
          FailureCode.BAD_PAYLOAD,
          new IllegalArgumentException(
              "The payload is null, but %s takes a %s."
                  .formatted(task.type().name(), task.type().payload().getSimpleName())));
    }
    return new AttemptOutcome.Returned(
        task.handler().handle(payload, new Context(heldJob, parts.logs().node(), parts.ticker())));
  }

  /** Whatever is wrong with what the attempt came back with, it is reported. */
  private void reportAnyhow(HeldJob heldJob, AttemptOutcome went) {
    if (heldJob.stopReason() == StopReason.CLAIM_LOST) {
      parts.heldJobs().remove(heldJob);
      parts.meters().staleWrite(heldJob.job());
      return;
    }
    Finish finish;
    try {
      finish = judge(heldJob, went, heldJob.stoppedBy());
    } catch (Throwable broken) {
      log.error("How job {} ended could not be told", heldJob.job().id(), broken);
      finish = untold(heldJob);
    }
    if (finish == null) {
      parts.sink().handBack(heldJob);
    } else {
      parts.sink().finish(heldJob, finish);
    }
  }

  /**
   * What to report; null to give the job back without using an attempt.
   *
   * <p>A handler that was told to stop may return anything: a loop that ends when its thread is
   * interrupted returns normally, with its work half done. So what it returns or throws counts only
   * if it was not told to stop before.
   *
   * @param reason why it was told to stop before its handler returned; null if it was not
   */
  private @Nullable Finish judge(
      HeldJob heldJob, AttemptOutcome went, @Nullable StopReason reason) {
    if (reason == null) {
      return switch (went) {
        case AttemptOutcome.Returned(Object value) -> success(heldJob, value);
        case AttemptOutcome.Threw(String code, Throwable thrown) -> failure(heldJob, code, thrown);
        case AttemptOutcome.NeverBegan() -> null;
      };
    }
    return switch (reason) {
      case TIMED_OUT, HEARTBEAT_TIMED_OUT ->
          timedOut(heldJob, reason, parts.logs().node(), parts.random().nextDouble());
      case CANCELLED -> new Finish.Cancelled(heldJob.claim());
      case HANDED_BACK, CLAIM_LOST -> {
        if (went instanceof AttemptOutcome.Returned) {
          log.info(
              "Job {} of {} returned after it was told to stop; it goes back to the queue without"
                  + " using an attempt",
              heldJob.job().id(),
              heldJob.job().task());
        }
        yield null;
      }
    };
  }

  /** Asks neither what the handler brought nor the backoff of the job: either may be at fault. */
  private Finish untold(HeldJob heldJob) {
    int most = heldJob.policy().retryOrDefault().maxAttempts();
    return RetryDecision.onFailure(
        heldJob.claim(),
        FailureReport.of(
            heldJob.job().attempt(),
            FailureCode.TASK_FAILED,
            "How this attempt ended could not be told: see the log of the node.",
            parts.logs().node()),
        null,
        RetryPolicy.DEFAULT.maxAttempts(most),
        0.5);
  }

  private Finish success(HeldJob heldJob, @Nullable Object value) {
    Duration keep = heldJob.policy().keepResult();
    if (value == null || (keep != null && keep.isZero())) {
      return new Finish.Succeeded(heldJob.claim(), null, null);
    }
    try {
      String result = Encoding.storable(parts.codec().encode(value));
      if (Utf8Length.exceeds(result, parts.resultLimit())) {
        return failure(
            heldJob,
            FailureCode.BAD_RESULT,
            new IllegalArgumentException(
                "The result has %d bytes, and %d are allowed: return a reference to it instead."
                    .formatted(Utf8Length.bytes(result), parts.resultLimit())));
      }
      return new Finish.Succeeded(heldJob.claim(), result, keep);
    } catch (Throwable unwritable) {
      return failure(heldJob, FailureCode.BAD_RESULT, unwritable);
    }
  }

  private Finish failure(HeldJob heldJob, String code, Throwable thrown) {
    int attempt = heldJob.job().attempt();
    Finish.Failure failure = FailureReport.of(attempt, code, thrown, parts.logs().node());
    Finish finish =
        code.equals(FailureCode.BAD_PAYLOAD)
            ? unreadable(heldJob, failure)
            : RetryDecision.onFailure(
                heldJob.claim(),
                failure,
                thrown,
                heldJob.policy().retryOrDefault(),
                parts.random().nextDouble());
    switch (finish) {
      case Finish.RetryIn retry ->
          log.info(
              "Attempt {} of job {} ({}) failed with {}: {}: {}; again in {}",
              attempt,
              heldJob.job().id(),
              heldJob.job().task(),
              code,
              failure.type(),
              failure.message(),
              retry.delay());
      case Finish.Dead dead ->
          // The only place with the whole stack trace, and once for each job.
          log.warn(
              "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered",
              heldJob.job().id(),
              heldJob.job().task(),
              code,
              attempt,
              thrown);
      default -> {} // A handler that asks for more time has not failed.
    }
    return finish;
  }

  private Finish unreadable(HeldJob heldJob, Finish.Failure failure) {
    return RetryDecision.onUnreadable(
        heldJob.claim(),
        failure,
        heldJob.policy().retryOrDefault(),
        parts.unreadable().leave(heldJob.job(), parts.ticker().now()),
        parts.random().nextDouble());
  }

  /** The report of an attempt that was stopped for taking too long, whatever it came back with. */
  static Finish timedOut(HeldJob heldJob, StopReason why, String node, double chance) {
    int attempt = heldJob.job().attempt();
    JobPolicy policy = heldJob.policy();
    Finish.Failure failure =
        why == StopReason.HEARTBEAT_TIMED_OUT
            ? FailureReport.of(
                attempt,
                FailureCode.HEARTBEAT_TIMED_OUT,
                "It gave no sign of getting on for %s: call context.heartbeat() more often, or raise the timeout."
                    .formatted(policy.heartbeatTimeout()),
                node)
            : FailureReport.of(
                attempt,
                FailureCode.TIMED_OUT,
                "It took longer than its timeout of %s.".formatted(policy.timeout()),
                node);
    Finish finish =
        RetryDecision.onFailure(heldJob.claim(), failure, null, policy.retryOrDefault(), chance);
    if (finish instanceof Finish.Dead) {
      log.warn(
          "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered: {}",
          heldJob.job().id(),
          heldJob.job().task(),
          failure.code(),
          attempt,
          failure.message());
    }
    return finish;
  }
}
