package dev.holdfast.engine.meter;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a span for each call of a client that gives nodes work: an enqueue, the start of a run,
 * an event. Its context is stored with the work, so that the attempts belong to the same trace. A
 * tracer that throws costs the span, never the call.
 */
public final class CallSpans {
  /** Creates no spans, and stores nothing. */
  public static final CallSpans NONE = new CallSpans(null);

  private static final Logger log = LoggerFactory.getLogger(CallSpans.class);
  private static final String SCOPE = "dev.holdfast";

  private final @Nullable Tracer tracer;
  private final Call unseen = new Call(null, null);
  private final AtomicBoolean warned = new AtomicBoolean();

  private CallSpans(@Nullable OpenTelemetry telemetry) {
    this.tracer = telemetry == null ? null : telemetry.getTracer(SCOPE);
  }

  /**
   * Returns the spans of a client.
   *
   * @param telemetry where spans are sent; null to create none, at no cost
   */
  public static CallSpans of(@Nullable OpenTelemetry telemetry) {
    return telemetry == null ? NONE : new CallSpans(telemetry);
  }

  /**
   * Makes a call inside a span. The parent of the span is the current span of the caller.
   *
   * @param name the name of the span
   * @param about what it is about, such as a task
   */
  public <T> T call(String name, String about, Traced<T> call) {
    if (tracer == null) {
      return call.apply(unseen);
    }
    Span span = start(tracer, about.isEmpty() ? name : name + " " + about);
    try (Scope current = span.makeCurrent()) {
      return call.apply(new Call(span, textOf(span)));
    } catch (RuntimeException | Error failure) {
      guard(() -> span.setStatus(StatusCode.ERROR).recordException(failure));
      throw failure;
    } finally {
      guard(span::end);
    }
  }

  private Span start(Tracer from, String name) {
    try {
      return from.spanBuilder(name)
          .setSpanKind(SpanKind.PRODUCER)
          .setParent(Context.current())
          .startSpan();
    } catch (
        Throwable broken) { // Checked exceptions too: other JVM languages throw them undeclared.
      warn(broken);
      return Span.getInvalid();
    }
  }

  private @Nullable String textOf(Span span) {
    try {
      return TraceContext.of(span);
    } catch (Throwable broken) {
      warn(broken);
      return null;
    }
  }

  private void guard(Runnable step) {
    try {
      step.run();
    } catch (Throwable broken) {
      warn(broken);
    }
  }

  private void warn(Throwable broken) {
    if (warned.compareAndSet(false, true)) {
      log.warn(
          "A span of a call failed. Calls and jobs are not affected; spans may be missing, and"
              + " later failures are not logged",
          broken);
    }
  }

  /** A call inside a span. */
  @FunctionalInterface
  public interface Traced<T> {
    T apply(Call call);
  }

  /** A call that is being made. */
  public final class Call {
    private final @Nullable Span span;
    private final @Nullable String trace;

    private Call(@Nullable Span span, @Nullable String trace) {
      this.span = span;
      this.trace = trace;
    }

    /** Returns its trace context, to store with the work; null for none. */
    public @Nullable String trace() {
      return trace;
    }

    /** Adds a fact to its span. */
    public void note(String key, Object value) {
      Span seen = span;
      if (seen != null) {
        guard(() -> seen.setAttribute(key, value.toString()));
      }
    }
  }
}
