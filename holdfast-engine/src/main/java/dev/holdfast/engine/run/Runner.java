package dev.holdfast.engine.run;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.api.task.RetryLater;
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
   * @param resultLimit how long an encoded result may be, in characters
   */
  public record Parts(
      LogContext logs,
      Spans spans,
      TaskRegistry tasks,
      PayloadCodec codec,
      Holdings holdings,
      FinishSink sink,
      Timekeeper timekeeper,
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

  /** Run a started job on its lane's executor; one of the lane's slots is reserved for it. */
  public void run(Lane lane, Holding holding) {
    if (parts.holdings().isRunaway(holding.job().id())) {
      // An earlier attempt still runs on a thread of this process: never two at once.
      postpone(lane, holding, AFTER_RUNAWAY);
      return;
    }
    try {
      lane.executor().execute(() -> attempt(lane, holding));
    } catch (RuntimeException | OutOfMemoryError full) { // No thread can be had, or it refuses.
      log.warn(
          "Executor {} refused job {}; it is tried again in {}: {}",
          lane.executor().name(),
          holding.job().id(),
          AFTER_REJECTION,
          full.toString());
      postpone(lane, holding, AFTER_REJECTION);
    }
  }

  private void postpone(Lane lane, Holding holding, Duration delay) {
    if (holding.settle()) {
      parts.sink().finish(holding, new Finish.Later(holding.held(), delay));
    }
    lane.release();
  }

  private void attempt(Lane lane, Holding holding) {
    long begin = parts.ticker().now().nanos();
    parts.logs().enter(holding);
    try {
      Went went = holding.begin() ? invoke(holding) : new Went.NeverBegan();
      if (holding.settle()) {
        parts.meters().ran(lane.queue(), parts.ticker().now().nanos() - begin);
        reportAnyhow(holding, went);
      } else {
        parts.holdings().removeRunaway(holding.job().id());
        if (holding.tenure().isOver()) {
          parts.meters().staleWrite(lane.queue());
        }
        log.warn(
            "Job {} of {} came back after it had been given up; what it brought is void",
            holding.job().id(),
            holding.job().task());
      }
    } finally {
      parts.logs().leave();
      lane.release();
    }
  }

  private Went invoke(Holding holding) {
    Duration timeout = holding.policy().timeout();
    Timekeeper.Alarm alarm = timeout == null ? null : parts.timekeeper().watch(holding, timeout);
    try {
      return traced(holding);
    } finally {
      holding.handlerReturned();
      if (alarm != null) {
        parts.timekeeper().forget(alarm);
      }
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
    } catch (CodecException unreadable) {
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
        task.handler().handle(payload, new Context(holding, parts.logs().node())));
  }

  /** Whatever is wrong with what the attempt came back with, it is reported. */
  private void reportAnyhow(Holding holding, Went went) {
    try {
      report(holding, went);
    } catch (Throwable broken) {
      log.error("How job {} ended could not be told", holding.job().id(), broken);
      parts
          .sink()
          .finish(
              holding,
              failed(
                  holding,
                  FailureCode.TASK_FAILED,
                  "How this attempt ended could not be told: see the log of the node.",
                  parts.logs().node(),
                  parts.random().nextDouble()));
    }
  }

  private void report(Holding holding, Went went) {
    StopReason reason = holding.stopReason();
    if (reason == StopReason.CLAIM_LOST) {
      parts.holdings().remove(holding);
      parts.meters().staleWrite(holding.job().queue());
      return;
    }
    if (reason == StopReason.TIMED_OUT) {
      parts.sink().finish(holding, timedOut(holding));
      return;
    }
    switch (went) {
      case Went.Returned(Object value) -> parts.sink().finish(holding, success(holding, value));
      case Went.Threw(String code, Throwable thrown) -> {
        if (reason == null) {
          parts.sink().finish(holding, failure(holding, code, thrown));
        } else {
          stopped(holding, reason);
        }
      }
      case Went.NeverBegan() -> stopped(holding, reason);
    }
  }

  private void stopped(Holding holding, @Nullable StopReason reason) {
    if (reason == StopReason.CANCELLED) {
      parts.sink().finish(holding, new Finish.Cancelled(holding.held()));
    } else {
      parts.sink().handBack(holding);
    }
  }

  private Finish success(Holding holding, @Nullable Object value) {
    Duration keep = holding.policy().keepResult();
    if (value == null || (keep != null && keep.isZero())) {
      return new Finish.Succeeded(holding.held(), null, null);
    }
    try {
      String result = parts.codec().encode(value);
      if (result.length() > parts.resultLimit()) {
        return failure(
            holding,
            FailureCode.BAD_RESULT,
            new IllegalArgumentException(
                "The result has %d characters, and %d are allowed: return a reference to it instead."
                    .formatted(result.length(), parts.resultLimit())));
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
        Verdict.onFailure(
            holding.held(),
            failure,
            thrown,
            holding.policy().retryOrDefault(),
            parts.random().nextDouble());
    if (!(thrown instanceof RetryLater)) {
      log.info(
          "Attempt {} of job {} ({}) failed with {}: {}: {}; {}",
          attempt,
          holding.job().id(),
          holding.job().task(),
          code,
          failure.type(),
          failure.message(),
          finish instanceof Finish.RetryIn retry
              ? "again in " + retry.delay()
              : "no more attempts");
    }
    return finish;
  }

  /** The report of an attempt that took too long, whatever it came back with. */
  private Finish timedOut(Holding holding) {
    return timedOut(holding, parts.logs().node(), parts.random().nextDouble());
  }

  static Finish timedOut(Holding holding, String node, double chance) {
    return failed(
        holding,
        FailureCode.TIMED_OUT,
        "It took longer than its timeout of " + holding.policy().timeout() + ".",
        node,
        chance);
  }

  private static Finish failed(
      Holding holding, String code, String message, String node, double chance) {
    return Verdict.onFailure(
        holding.held(),
        FailureReport.of(holding.job().attempt(), code, message, node),
        null,
        holding.policy().retryOrDefault(),
        chance);
  }
}
