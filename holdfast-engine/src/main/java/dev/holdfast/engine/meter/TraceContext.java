package dev.holdfast.engine.meter;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts the trace context of a span to and from the text that is stored with a job or a run: the
 * {@code traceparent} of W3C Trace Context, and after a space its {@code tracestate}, if there is
 * one.
 */
public final class TraceContext {
  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";
  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

  private TraceContext() {}

  /** Returns the text that is stored for a span; null if the span is not valid. */
  static @Nullable String of(Span span) {
    Map<String, String> headers = new HashMap<>();
    W3C.inject(
        Context.root().with(span),
        headers,
        (carrier, key, value) -> {
          if (carrier != null) {
            carrier.put(key, value);
          }
        });
    String parent = headers.get(PARENT);
    String state = headers.get(STATE);
    return parent == null || state == null ? parent : parent + " " + state;
  }

  /**
   * Returns a context in which the span that was stored is the parent; one without a parent if the
   * text is null or not valid.
   */
  public static Context parse(@Nullable String text) {
    if (text == null) {
      return Context.root();
    }
    int space = text.indexOf(' ');
    return space < 0
        ? parse(text, null)
        : parse(text.substring(0, space), text.substring(space + 1));
  }

  /**
   * Returns a context in which the span that these headers name is the parent; one without a parent
   * if they are missing or not valid.
   */
  public static Context parse(@Nullable String traceparent, @Nullable String tracestate) {
    Map<String, String> headers = new HashMap<>();
    if (traceparent != null) {
      headers.put(PARENT, traceparent);
    }
    if (tracestate != null) {
      headers.put(STATE, tracestate);
    }
    return W3C.extract(Context.root(), headers, READER);
  }

  private static final TextMapGetter<Map<String, String>> READER =
      new TextMapGetter<>() {
        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
          return carrier == null ? null : carrier.get(key);
        }
      };
}
