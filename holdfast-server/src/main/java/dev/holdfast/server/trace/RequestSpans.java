package dev.holdfast.server.trace;

import dev.holdfast.engine.meter.TraceContext;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Creates the span of each request. Its parent is the span that the client names in its {@code
 * traceparent} header, and it is current while the handler runs, so that what the request enqueues
 * or starts belongs to the trace of the client.
 */
public final class RequestSpans {
  /** Creates no spans. */
  public static final RequestSpans NONE = new RequestSpans(null);

  private static final int SERVER_ERROR = 500;
  private final @Nullable Tracer tracer;

  /**
   * @param telemetry where spans are sent; null to create none
   */
  public RequestSpans(@Nullable OpenTelemetry telemetry) {
    this.tracer = telemetry == null ? null : telemetry.getTracer("dev.holdfast.server");
  }

  /**
   * What is known about a request.
   *
   * @param route its method and path, without the values of parameters
   * @param tenant the tenant that it names; null for none
   * @param header returns a header; null if it is missing
   */
  public record Seen(
      String route,
      @Nullable String tenant,
      String id,
      Function<String, @Nullable String> header) {}

  /** Handles a request inside its span. */
  public <T> T around(Seen request, ToIntFunction<T> status, Supplier<T> handling) {
    if (tracer == null) {
      return handling.get();
    }
    Span span =
        tracer
            .spanBuilder(request.route())
            .setSpanKind(SpanKind.SERVER)
            .setParent(
                TraceContext.parse(
                    request.header().apply("traceparent"), request.header().apply("tracestate")))
            .setAttribute("http.route", request.route())
            .setAttribute("holdfast.request", request.id())
            .startSpan();
    if (request.tenant() != null) {
      span.setAttribute("holdfast.tenant", request.tenant());
    }
    try (Scope current = span.makeCurrent()) {
      T response = handling.get();
      int code = status.applyAsInt(response);
      span.setAttribute("http.response.status_code", code);
      if (code >= SERVER_ERROR) {
        span.setStatus(StatusCode.ERROR);
      }
      return response;
    } finally {
      span.end();
    }
  }
}
