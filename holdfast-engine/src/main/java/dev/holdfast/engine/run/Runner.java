package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.AttemptInterceptor;
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
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts on executors and reports how they ended. */
public final class Runner {
  private static final Logger log = LoggerFactory.getLogger(Runner.class);
  private static final Duration AFTER_REJECTION = Duration.ofSeconds(1);
  private static final Duration AFTER_RUNAWAY = Duration.ofSeconds(2);

  /**
   * The components of a runner.
   *
   * @param logs identifies this node in log lines
   * @param spans creates a span for each attempt
   * @param unreadable knows whether another node may be able to read a payload that this node
   *     cannot
   * @param resultLimit the maximum size of an encoded result, in bytes of UTF-8
   * @param services what contexts need
   * @param interceptors run around each handler, the first outermost
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
      int resultLimit,
      ContextServices services,
      List<AttemptInterceptor> interceptors) {}

  /** How the handler ended. */
  private sealed interface AttemptOutcome {
    record Returned(@Nullable Object value) implements AttemptOutcome {}

    record Threw(String code, Throwable thrown) implements AttemptOutcome {}

    record Waits(Finish.Parked finish) implements AttemptOutcome {}

    record NeverStarted() implements AttemptOutcome {}
  }

  private final Parts parts;
  private final AttemptChain interceptors;

  public Runner(Parts parts) {
    this.parts = parts;
    this.interceptors = new AttemptChain(parts.interceptors());
  }

  /**
   * Runs a started job on its lane's executor; one of the lane's slots is reserved for it. Never
   * throws: in all cases the slot is released once and the outcome reported once.
   */
  public void run(Lane lane, HeldJob heldJob) {
    try {
      if (parts.heldJobs().isRunaway(heldJob.job().id())) {
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
          AFTER_REJECTION,
          refused.toString());
    }
  }

  /**
   * Runs the job later, unless its code has started: an executor may throw although it runs the
   * job.
   */
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
        "The outcome of job {} of {} could not be reported; the next heartbeat releases the job",
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
            "Job {} of {} ended after its attempt had been given up; its result is discarded",
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

  /**
   * Starts the attempt. Any exception around the handler fails the attempt, as if the handler had
   * thrown it.
   */
  private AttemptOutcome begin(HeldJob heldJob) {
    try {
      parts.logs().enter(heldJob);
      if (!heldJob.begin()) {
        return new AttemptOutcome.NeverStarted();
      }
      if (heldJob.isSuspect()) {
        parts.heldJobs().suspects().started(heldJob.claim(), parts.ticker().now());
      }
      try (TimeoutWatcher.Watch watch = parts.timeoutWatcher().watch(heldJob);
          Spans.Attempt span = parts.spans().begin(heldJob.job())) {
        AttemptOutcome went = call(heldJob);
        if (went instanceof AttemptOutcome.Threw(String code, Throwable thrown)) {
          span.failed(code, thrown);
        }
        return went;
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

  private AttemptOutcome call(HeldJob heldJob) {
    Context context = new Context(heldJob, parts.services());
    try {
      AttemptOutcome went = call(heldJob, context, registered(heldJob));
      context.steps().requireComplete();
      return went;
    } catch (
        Throwable thrown) { // An Error of a handler costs its own job an attempt, not the node.
      Parked parked = context.steps().parked();
      if (parked != null) { // Even if the handler has caught it and thrown something else.
        return new AttemptOutcome.Waits(parked.finish());
      }
      return new AttemptOutcome.Threw(RetryDecision.codeOf(thrown), thrown);
    } finally {
      // At once: later steps, such as the end of a span, must not be interrupted, and a stop
      // request that arrives during them must not void what the handler did.
      heldJob.handlerReturned();
      context.close();
    }
  }

  private Registered<?, ?> registered(HeldJob heldJob) {
    return parts
        .tasks()
        .find(heldJob.job().task())
        .orElseThrow(() ->
            new IllegalStateException("This node has no handler for task " + heldJob.job().task()));
  }

  private <P, R> AttemptOutcome call(HeldJob heldJob, Context context, Registered<P, R> task)
      throws Exception {
    P payload;
    try {
      String text = heldJob.job().payload();
      payload = text == null ? null : parts.codec().decode(text, task.type().payload());
    } catch (RuntimeException | LinkageError unreadable) { // A custom codec may throw anything.
      return new AttemptOutcome.Threw(FailureCode.BAD_PAYLOAD, unreadable);
    }
    if (payload == null) {
      return new AttemptOutcome.Threw(
          FailureCode.BAD_PAYLOAD,
          new IllegalArgumentException(
              "The payload is null, but task '%s' needs a %s: enqueue the job with a value."
                  .formatted(task.type().name(), task.type().payload().simpleName())));
    }
    return new AttemptOutcome.Returned(
        interceptors.run(context, payload, () -> task.handler().handle(payload, context)));
  }

  /** Reports the outcome of the attempt, even if it cannot be evaluated. */
  private void reportAnyhow(HeldJob heldJob, AttemptOutcome went) {
    if (heldJob.stopReason() == StopReason.CLAIM_LOST) {
      parts.heldJobs().remove(heldJob);
      parts.meters().staleWrite(heldJob.job());
      return;
    }
    parts.services().notes().saveLast(heldJob);
    Finish finish;
    try {
      finish = judge(heldJob, went, heldJob.stoppedBy());
    } catch (Throwable broken) {
      log.error(
          "The outcome of job {} could not be evaluated; its attempt counts as failed",
          heldJob.job().id(),
          broken);
      finish = untold(heldJob);
    }
    if (finish == null) {
      parts.sink().handBack(heldJob);
    } else {
      parts.sink().finish(heldJob, finish);
    }
  }

  /**
   * Returns what to report; null to release the job without using an attempt.
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
        case AttemptOutcome.Waits(Finish.Parked finish) -> finish;
        case AttemptOutcome.NeverStarted() -> null;
      };
    }
    return switch (reason) {
      case TIMED_OUT, HEARTBEAT_TIMED_OUT ->
          timedOut(heldJob, reason, parts.logs().node(), parts.random().nextDouble());
      case CANCELLED -> new Finish.Cancelled(heldJob.claim());
      case HANDED_BACK, CLAIM_LOST -> {
        if (went instanceof AttemptOutcome.Returned) {
          log.info(
              "Job {} of {} returned after it was told to stop; it is released without"
                  + " using an attempt",
              heldJob.job().id(),
              heldJob.job().task());
        }
        yield null;
      }
    };
  }

  /**
   * Uses neither the result of the handler nor the backoff of the job: either may have caused the
   * error.
   */
  private Finish untold(HeldJob heldJob) {
    int most = heldJob.policy().retryOrDefault().maxAttempts();
    return RetryDecision.onFailure(
        heldJob.claim(),
        FailureReport.of(
            heldJob.job().attempt(),
            FailureCode.TASK_FAILED,
            "The outcome of this attempt could not be evaluated: see the log of the node.",
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
                "The result has %d bytes, but at most %d are allowed: return a reference to it instead."
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
              "Attempt {} of job {} ({}) failed with {}: {}: {}; retrying in {}",
              attempt,
              heldJob.job().id(),
              heldJob.job().task(),
              code,
              failure.type(),
              failure.message(),
              retry.delay());
      case Finish.Dead dead ->
          // The only place that logs the whole stack trace, once for each job.
          log.warn(
              "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered",
              heldJob.job().id(),
              heldJob.job().task(),
              code,
              attempt,
              thrown);
      default -> {} // A handler that asks to run later has not failed.
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

  /**
   * Returns the report of an attempt that was stopped for taking too long, no matter how it ended.
   */
  static Finish timedOut(HeldJob heldJob, StopReason why, String node, double chance) {
    int attempt = heldJob.job().attempt();
    JobPolicy policy = heldJob.policy();
    Finish.Failure failure =
        why == StopReason.HEARTBEAT_TIMED_OUT
            ? FailureReport.of(
                attempt,
                FailureCode.HEARTBEAT_TIMED_OUT,
                "It sent no heartbeat for %s: call context.heartbeat() more often, or raise the heartbeat timeout."
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
