package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.api.task.RetryPolicy;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.TextSize;
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
      Holdings holdings,
      FinishSink sink,
      Timekeeper timekeeper,
      Unreadable unreadable,
      Meters meters,
      Ticker ticker,
      RandomGenerator random,
      int resultLimit) {}

  /** How user code went. */
  private sealed interface Went {
    record Returned(@Nullable Object value) implements Went {}

    record Threw(String code, Throwable thrown) implements Went {}

    record NeverBegan() implements Went {}
  }

  private final Parts parts;

  public Runner(Parts parts) {
    this.parts = parts;
  }

  /**
   * Run a started job on its lane's executor; one of the lane's slots is reserved for it. Never
   * throws: from here on the slot is given back and the end reported, once each, whatever happens.
   */
  public void run(Lane lane, Holding holding) {
    try {
      if (parts.holdings().isRunaway(holding.job().id())) {
        // An earlier attempt still runs on a thread of this process: never two at once.
        postpone(lane, holding, AFTER_RUNAWAY);
      } else {
        lane.executor().execute(() -> attempt(lane, holding));
      }
    } catch (Throwable refused) { // It refuses, no thread can be had, or it is broken.
      postpone(lane, holding, AFTER_REJECTION);
      log.warn(
          "Executor {} refused job {}; unless its code runs all the same, it is tried again in {}:"
              + " {}",
          lane.executor().name(),
          holding.job().id(),
          AFTER_REJECTION,
          refused.toString());
    }
  }

  /** Run it later, unless its code has started: an executor may throw although it runs the job. */
  private void postpone(Lane lane, Holding holding, Duration delay) {
    if (holding.withdraw()) {
      try {
        parts.sink().finish(holding, new Finish.Later(holding.held(), delay, false));
      } catch (Throwable broken) {
        unreported(holding, broken);
      }
    }
    if (!holding.isRunning()) {
      release(lane, holding);
    }
  }

  private void release(Lane lane, Holding holding) {
    if (holding.freeSlot()) {
      parts.timekeeper().release(lane, holding);
    }
  }

  private static void unreported(Holding holding, Throwable broken) {
    holding.markUnreported();
    log.error(
        "How job {} of {} ended could not be reported; the next heartbeat gives the job back",
        holding.job().id(),
        holding.job().task(),
        broken);
  }

  private void attempt(Lane lane, Holding holding) {
    holding.occupies(lane);
    boolean settled = false;
    try {
      long begin = parts.ticker().now().nanos();
      Went went = begin(holding);
      settled = holding.settle();
      if (settled) {
        parts.meters().ran(holding.job(), parts.ticker().now().nanos() - begin);
        reportAnyhow(holding, went);
      } else {
        if (holding.tenure().isOver()) {
          parts.meters().staleWrite(holding.job());
        }
        log.warn(
            "Job {} of {} came back after it had been given up; what it brought is void",
            holding.job().id(),
            holding.job().task());
      }
    } catch (Throwable broken) {
      if (settled || holding.settle()) {
        unreported(holding, broken);
      }
    } finally {
      release(lane, holding);
      parts.logs().leave();
    }
  }

  /** Whatever fails around the handler fails the attempt, as if the handler had. */
  private Went begin(Holding holding) {
    try {
      parts.logs().enter(holding);
      if (!holding.begin()) {
        return new Went.NeverBegan();
      }
      if (holding.isSuspect()) {
        parts.holdings().suspects().started(holding.held(), parts.ticker().now());
      }
      return invoke(holding);
    } catch (Throwable broken) {
      log.error("Job {} could not be run as it should be", holding.job().id(), broken);
      return new Went.Threw(FailureCode.TASK_FAILED, broken);
    }
  }

  private Went invoke(Holding holding) {
    try {
      return watched(holding);
    } finally {
      holding.handlerReturned(); // Where the handler was never called.
    }
  }

  private Went watched(Holding holding) {
    JobPolicy policy = holding.policy();
    if (policy.timeout() == null && policy.heartbeatTimeout() == null) {
      return traced(holding);
    }
    Timekeeper.Watch watch = parts.timekeeper().watch(holding);
    try {
      return traced(holding);
    } finally {
      parts.timekeeper().forget(watch);
    }
  }

  private Went traced(Holding holding) {
    Spans.Attempt span = parts.spans().begin(holding.job());
    try {
      Went went = attempt(holding);
      if (went instanceof Went.Threw(String code, Throwable thrown)) {
        span.failed(code, thrown);
      }
      return went;
    } finally {
      span.end();
    }
  }

  private Went attempt(Holding holding) {
    try {
      return call(holding, registered(holding));
    } catch (
        Throwable thrown) { // An Error of a handler costs its own job an attempt, not the node.
      return new Went.Threw(Verdict.codeOf(thrown), thrown);
    } finally {
      // At once: what comes after it, such as the end of a span, must not be interrupted, nor may a
      // request to stop that comes meanwhile void what the handler did.
      holding.handlerReturned();
    }
  }

  private Registered<?, ?> registered(Holding holding) {
    return parts
        .tasks()
        .find(holding.job().task())
        .orElseThrow(
            () -> new IllegalStateException("No handler for task " + holding.job().task()));
  }

  private <P, R> Went call(Holding holding, Registered<P, R> task) throws Exception {
    P payload;
    try {
      String text = holding.job().payload();
      payload = text == null ? null : parts.codec().decode(text, task.type().payload());
    } catch (RuntimeException | LinkageError unreadable) { // A codec of the user may throw any.
      return new Went.Threw(FailureCode.BAD_PAYLOAD, unreadable);
    }
    if (payload == null) {
      return new Went.Threw(
          FailureCode.BAD_PAYLOAD,
          new IllegalArgumentException(
              "The payload is null, but %s takes a %s."
                  .formatted(task.type().name(), task.type().payload().getSimpleName())));
    }
    return new Went.Returned(
        task.handler().handle(payload, new Context(holding, parts.logs().node(), parts.ticker())));
  }

  /** Whatever is wrong with what the attempt came back with, it is reported. */
  private void reportAnyhow(Holding holding, Went went) {
    if (holding.stopReason() == StopReason.CLAIM_LOST) {
      parts.holdings().remove(holding);
      parts.meters().staleWrite(holding.job());
      return;
    }
    Finish finish;
    try {
      finish = judge(holding, went, holding.stoppedBy());
    } catch (Throwable broken) {
      log.error("How job {} ended could not be told", holding.job().id(), broken);
      finish = untold(holding);
    }
    if (finish == null) {
      parts.sink().handBack(holding);
    } else {
      parts.sink().finish(holding, finish);
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
  private @Nullable Finish judge(Holding holding, Went went, @Nullable StopReason reason) {
    if (reason == null) {
      return switch (went) {
        case Went.Returned(Object value) -> success(holding, value);
        case Went.Threw(String code, Throwable thrown) -> failure(holding, code, thrown);
        case Went.NeverBegan() -> null;
      };
    }
    return switch (reason) {
      case TIMED_OUT, HEARTBEAT_TIMED_OUT ->
          timedOut(holding, reason, parts.logs().node(), parts.random().nextDouble());
      case CANCELLED -> new Finish.Cancelled(holding.held());
      case HANDED_BACK, CLAIM_LOST -> {
        if (went instanceof Went.Returned) {
          log.info(
              "Job {} of {} returned after it was told to stop; it goes back to the queue without"
                  + " using an attempt",
              holding.job().id(),
              holding.job().task());
        }
        yield null;
      }
    };
  }

  /** Asks neither what the handler brought nor the backoff of the job: either may be at fault. */
  private Finish untold(Holding holding) {
    int most = holding.policy().retryOrDefault().maxAttempts();
    return Verdict.onFailure(
        holding.held(),
        FailureReport.of(
            holding.job().attempt(),
            FailureCode.TASK_FAILED,
            "How this attempt ended could not be told: see the log of the node.",
            parts.logs().node()),
        null,
        RetryPolicy.DEFAULT.maxAttempts(most),
        0.5);
  }

  private Finish success(Holding holding, @Nullable Object value) {
    Duration keep = holding.policy().keepResult();
    if (value == null || (keep != null && keep.isZero())) {
      return new Finish.Succeeded(holding.held(), null, null);
    }
    try {
      String result = Encoding.storable(parts.codec().encode(value));
      if (TextSize.exceeds(result, parts.resultLimit())) {
        return failure(
            holding,
            FailureCode.BAD_RESULT,
            new IllegalArgumentException(
                "The result has %d bytes, and %d are allowed: return a reference to it instead."
                    .formatted(TextSize.bytes(result), parts.resultLimit())));
      }
      return new Finish.Succeeded(holding.held(), result, keep);
    } catch (Throwable unwritable) {
      return failure(holding, FailureCode.BAD_RESULT, unwritable);
    }
  }

  private Finish failure(Holding holding, String code, Throwable thrown) {
    int attempt = holding.job().attempt();
    Finish.Failure failure = FailureReport.of(attempt, code, thrown, parts.logs().node());
    Finish finish =
        code.equals(FailureCode.BAD_PAYLOAD)
            ? unreadable(holding, failure)
            : Verdict.onFailure(
                holding.held(),
                failure,
                thrown,
                holding.policy().retryOrDefault(),
                parts.random().nextDouble());
    switch (finish) {
      case Finish.RetryIn retry ->
          log.info(
              "Attempt {} of job {} ({}) failed with {}: {}: {}; again in {}",
              attempt,
              holding.job().id(),
              holding.job().task(),
              code,
              failure.type(),
              failure.message(),
              retry.delay());
      case Finish.Dead dead ->
          // The only place with the whole stack trace, and once for each job.
          log.warn(
              "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered",
              holding.job().id(),
              holding.job().task(),
              code,
              attempt,
              thrown);
      default -> {} // A handler that asks for more time has not failed.
    }
    return finish;
  }

  private Finish unreadable(Holding holding, Finish.Failure failure) {
    return Verdict.onUnreadable(
        holding.held(),
        failure,
        holding.policy().retryOrDefault(),
        parts.unreadable().leave(holding.job(), parts.ticker().now()),
        parts.random().nextDouble());
  }

  /** The report of an attempt that was stopped for taking too long, whatever it came back with. */
  static Finish timedOut(Holding holding, StopReason why, String node, double chance) {
    int attempt = holding.job().attempt();
    JobPolicy policy = holding.policy();
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
        Verdict.onFailure(holding.held(), failure, null, policy.retryOrDefault(), chance);
    if (finish instanceof Finish.Dead) {
      log.warn(
          "Job {} of {} failed permanently with {} at attempt {} and is dead-lettered: {}",
          holding.job().id(),
          holding.job().task(),
          failure.code(),
          attempt,
          failure.message());
    }
    return finish;
  }
}
