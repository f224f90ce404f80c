package dev.holdfast.engine.run;

import dev.holdfast.api.run.RetryLater;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.codec.Redactor;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.meter.TraceContext;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.StepRef;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the span of each attempt, which shows which node ran the job and how it ended. The span
 * is current while the handler runs, so that spans of the handler become its children. If the call
 * that created the job was traced, the attempt and the wait before it belong to its trace.
 */
public final class Spans {
  private static final Logger log = LoggerFactory.getLogger(Spans.class);
  private static final String SCOPE = "dev.holdfast";

  private final LogContext who;
  private final @Nullable Tracer tracer;
  private final Redactor redactor;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * Creates the spans of a node.
   *
   * @param telemetry where spans are sent; null to create none, at no cost
   */
  public Spans(LogContext who, @Nullable OpenTelemetry telemetry) {
    this(who, telemetry, NodeSecrets.none());
  }

  /**
   * Creates the spans of a node.
   *
   * @param telemetry where spans are sent; null to create none, at no cost
   * @param secrets what is hidden in the exceptions of attempts
   */
  public Spans(LogContext who, @Nullable OpenTelemetry telemetry, NodeSecrets secrets) {
    this.who = who;
    this.redactor = secrets.redactor();
    this.tracer = telemetry == null ? null : telemetry.getTracer(SCOPE);
  }

  /**
   * Starts the span of an attempt on this thread; it ends on this thread too. A tracer that throws
   * costs the span, never the attempt.
   */
  Attempt start(ClaimedJob job) {
    if (tracer == null) {
      return Attempt.UNSEEN;
    }
    try {
      return start(tracer, job);
    } catch (
        Throwable broken) { // Checked exceptions too: other JVM languages throw them undeclared.
      warn(broken);
      return Attempt.UNSEEN;
    }
  }

  private void warn(Throwable broken) {
    if (warned.compareAndSet(false, true)) {
      log.warn(
          "A span of an attempt failed. Jobs are not affected; spans may be missing, and later"
              + " failures are not logged",
          broken);
    }
  }

  private Attempt start(Tracer tracer, ClaimedJob job) {
    Context parent = TraceContext.parse(JobTrace.read(job.policy()));
    if (Span.fromContext(parent).getSpanContext().isValid()) {
      waited(tracer, parent, job);
    }
    SpanBuilder span =
        tracer
            .spanBuilder(job.task())
            .setSpanKind(SpanKind.CONSUMER)
            .setParent(parent)
            .setAttribute(LogContext.NODE, who.node())
            .setAttribute(LogContext.JOB, job.id().toString())
            .setAttribute(LogContext.TASK, job.task())
            .setAttribute("holdfast.queue", job.queue())
            .setAttribute("holdfast.attempt", job.attempt());
    if (who.name() != null) {
      span.setAttribute(LogContext.NAME, who.name());
    }
    StepRef step = job.step();
    if (step != null) {
      span.setAttribute("holdfast.run", step.run().toString());
      span.setAttribute("holdfast.step", step.step());
    }
    return new Seen(span.startSpan());
  }

  /** Records how long the job waited for this attempt since it was due, by the store's clock. */
  private static void waited(Tracer tracer, Context parent, ClaimedJob job) {
    Instant end = job.claimedAt().isAfter(job.readyAt()) ? job.claimedAt() : job.readyAt();
    tracer
        .spanBuilder("wait " + job.task())
        .setSpanKind(SpanKind.INTERNAL)
        .setParent(parent)
        .setStartTimestamp(job.readyAt())
        .setAttribute(LogContext.JOB, job.id().toString())
        .setAttribute(LogContext.TASK, job.task())
        .setAttribute("holdfast.queue", job.queue())
        .setAttribute("holdfast.attempt", job.attempt())
        .startSpan()
        .end(end);
  }

  /** The span of an attempt, or none. */
  interface Attempt extends AutoCloseable {
    Attempt UNSEEN =
        new Attempt() {
          @Override
          public void failed(String code, Throwable thrown) {}

          @Override
          public void close() {}
        };

    /** Records that the attempt threw this exception. */
    void failed(String code, Throwable thrown);

    /** Ends the span. */
    @Override
    void close();
  }

  private final class Seen implements Attempt {
    private final Span span;
    private final Scope scope;

    @SuppressWarnings("MustBeClosedChecker") // Closed by close().
    Seen(Span span) {
      this.span = span;
      this.scope = span.makeCurrent();
    }

    @Override
    public void failed(String code, Throwable thrown) {
      if (thrown instanceof RetryLater) {
        return;
      }
      guard(() -> span.setStatus(StatusCode.ERROR, code));
      try {
        record(thrown);
      } catch (RuntimeException | Error unreadable) {
        log.debug("An exception could not be added to its span", unreadable);
      }
    }

    /** With the attributes that OpenTelemetry gives to exceptions. */
    private void record(Throwable thrown) {
      if (!redactor.isActive()) {
        span.recordException(thrown);
        return;
      }
      Finish.Failure failure = FailureReport.of(0, "", thrown, "", redactor);
      span.addEvent(
          "exception",
          Attributes.of(
              AttributeKey.stringKey("exception.type"),
              thrown.getClass().getName(),
              AttributeKey.stringKey("exception.message"),
              String.valueOf(failure.message()),
              AttributeKey.stringKey("exception.stacktrace"),
              String.valueOf(failure.stackTrace())));
    }

    @Override
    public void close() {
      guard(scope::close);
      guard(span::end);
    }

    private void guard(Runnable step) {
      try {
        step.run();
      } catch (Throwable broken) {
        warn(broken);
      }
    }
  }
}
