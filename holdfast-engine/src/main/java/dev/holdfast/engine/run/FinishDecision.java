package dev.holdfast.engine.run;

import static java.util.Objects.requireNonNull;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.Redactor;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.Finish;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what to report about an attempt that has ended: a success with its result, a retry, a
 * dead-lettered job, a cancelled one, or nothing, so that the job is handed back.
 */
public final class FinishDecision {
  private static final Logger log = LoggerFactory.getLogger(FinishDecision.class);

  private final String node;
  private final OutputEncoder outputs;
  private final Unreadable unreadable;
  private final Environment environment;
  private final Redactor redactor;

  /**
   * @param node the id of this node
   * @param outputs encodes results
   * @param unreadable knows whether another node may be able to read a payload or a journal that
   *     this node cannot
   * @param secrets what is hidden in results and failures
   */
  public FinishDecision(
      String node,
      OutputEncoder outputs,
      Unreadable unreadable,
      Environment environment,
      NodeSecrets secrets) {
    this.node = node;
    this.outputs = outputs;
    this.unreadable = unreadable;
    this.environment = environment;
    this.redactor = secrets.redactor();
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
  @Nullable Finish of(HeldJob heldJob, AttemptOutcome outcome, @Nullable StopReason reason) {
    if (reason == null) {
      return switch (outcome) {
        case AttemptOutcome.Returned(Object value) -> success(heldJob, value);
        case AttemptOutcome.Threw(String code, Throwable thrown) -> failure(heldJob, code, thrown);
        case AttemptOutcome.Waits(Finish.Parked finish) -> finish;
        case AttemptOutcome.NeverStarted() -> null;
      };
    }
    return switch (reason) {
      case TIMED_OUT, HEARTBEAT_TIMED_OUT -> timedOut(heldJob, reason, node, random());
      case CANCELLED -> new Finish.Cancelled(heldJob.claim());
      case HANDED_BACK, CLAIM_LOST -> {
        if (outcome instanceof AttemptOutcome.Returned) {
          log.info(
              "Job {} of {} returned after it was told to stop; it is handed back without"
                  + " using an attempt",
              heldJob.job().id(),
              heldJob.job().task());
        }
        yield null;
      }
    };
  }

  /**
   * Returns the report of an attempt that could not be evaluated. Uses neither the result of the
   * handler nor the backoff of the job: either may have caused the error.
   */
  Finish withoutOutcome(HeldJob heldJob) {
    int most = heldJob.policy().retryOrDefault().maxAttempts();
    return RetryDecision.onFailure(
        heldJob.claim(),
        FailureReport.of(
            heldJob.job().attempt(),
            FailureCode.TASK_FAILED,
            "The outcome of this attempt could not be evaluated: see the log of the node.",
            node),
        null,
        RetryPolicy.DEFAULT.maxAttempts(most),
        0.5);
  }

  private double random() {
    return environment.random().nextDouble();
  }

  private Finish success(HeldJob heldJob, @Nullable Object value) {
    Duration keep = heldJob.policy().keepResult();
    // The output of a step is kept for the run, however long the result of the job would be.
    boolean dropped = keep != null && keep.isZero() && heldJob.job().step() == null;
    if (value == null || dropped) {
      return success(heldJob, null, null);
    }
    try {
      String result = outputs.encode(heldJob.job(), "result", value);
      return success(heldJob, redactor.redactOutput(result), keep);
    } catch (OutputEncoder.OutputTooLargeException tooLarge) {
      return failure(heldJob, tooLarge.code(), tooLarge);
    } catch (Throwable unwritable) {
      return failure(heldJob, FailureCode.BAD_RESULT, unwritable);
    }
  }

  private static Finish success(HeldJob heldJob, @Nullable String result, @Nullable Duration keep) {
    return new Finish.Succeeded(heldJob.claim(), result, keep, heldJob.job().step() == null);
  }

  private Finish failure(HeldJob heldJob, String code, Throwable thrown) {
    int attempt = heldJob.job().attempt();
    Finish.Failure failure = FailureReport.of(attempt, code, thrown, node, redactor);
    Finish finish =
        switch (code) {
          case FailureCode.BAD_PAYLOAD -> unreadable(heldJob, failure);
          case FailureCode.JOURNAL_MISMATCH -> mismatch(heldJob, failure);
          default ->
              RetryDecision.onFailure(
                  heldJob.claim(), failure, thrown, heldJob.policy().retryOrDefault(), random());
        };
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
              Times.describe(retry.delay()));
      case Finish.Dead dead ->
          // The only place that logs the whole stack trace, once for each job.
          log.warn(
              "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered",
              heldJob.job().id(),
              heldJob.job().task(),
              code,
              attempt,
              shown(thrown));
      default -> {} // A handler that asks to run later has not failed.
    }
    return finish;
  }

  /**
   * Returns what the log shows of an exception: itself or, if it may contain a secret, a stand-in
   * whose text is that of the original without it.
   */
  private Throwable shown(Throwable thrown) {
    if (!redactor.isActive()) {
      return thrown;
    }
    String stack = FailureReport.stackOf(thrown);
    return stack == null || redactor.redact(stack).equals(stack)
        ? thrown
        : new RedactedException(redactor.redact(stack));
  }

  /** Has the stack trace of another exception as its message, and none itself. */
  private static final class RedactedException extends Exception {
    private static final long serialVersionUID = 1L;

    RedactedException(String text) {
      super(text, null, false, false);
    }
  }

  private Finish unreadable(HeldJob heldJob, Finish.Failure failure) {
    return RetryDecision.onUnreadable(
        heldJob.claim(),
        failure,
        heldJob.policy().retryOrDefault(),
        unreadable.leave(heldJob.job(), failure.code(), environment.ticker().now()),
        random());
  }

  private Finish mismatch(HeldJob heldJob, Finish.Failure failure) {
    return RetryDecision.onMismatch(
        heldJob.claim(),
        failure,
        heldJob.policy().retryOrDefault(),
        unreadable.leave(heldJob.job(), failure.code(), environment.ticker().now()),
        heldJob.job().step() != null);
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
                    .formatted(Times.describe(requireNonNull(policy.heartbeatTimeout()))),
                node)
            : FailureReport.of(
                attempt,
                FailureCode.TIMED_OUT,
                "It took longer than its timeout of %s."
                    .formatted(Times.describe(requireNonNull(policy.timeout()))),
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
