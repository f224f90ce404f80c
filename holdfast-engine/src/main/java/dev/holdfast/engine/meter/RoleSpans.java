package dev.holdfast.engine.meter;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a span for each pass of a background role that did some work. The span is created when
 * the pass is over and its work is known, so passes that find nothing to do cost nothing. A tracer
 * or exporter that throws costs the span, never the pass.
 */
public final class RoleSpans {
  /** Creates no spans. */
  public static final RoleSpans NONE = new RoleSpans(null, "", null);

  private static final Logger log = LoggerFactory.getLogger(RoleSpans.class);
  private static final String SCOPE = "dev.holdfast";

  private final @Nullable Tracer tracer;
  private final String node;
  private final @Nullable String name;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @param telemetry where spans are sent; null to create none, at no cost
   * @param node the id of the node
   * @param name its display name; null for none
   */
  public RoleSpans(@Nullable OpenTelemetry telemetry, String node, @Nullable String name) {
    this.tracer = telemetry == null ? null : telemetry.getTracer(SCOPE);
    this.node = node;
    this.name = name;
  }

  /**
   * Records a pass that ends now.
   *
   * @param span the name of the span
   * @param took how long the pass took
   * @param facts adds what it did
   */
  public void worked(String span, Duration took, Consumer<SpanBuilder> facts) {
    if (tracer == null) {
      return;
    }
    try {
      Instant end = Instant.now();
      SpanBuilder pass =
          tracer
              .spanBuilder(span)
              .setSpanKind(SpanKind.INTERNAL)
              .setNoParent()
              .setStartTimestamp(end.minus(took))
              .setAttribute("holdfast.node", node);
      if (name != null) {
        pass.setAttribute("holdfast.name", name);
      }
      facts.accept(pass);
      pass.startSpan().end(end);
    } catch (
        Throwable broken) { // Checked exceptions too: other JVM languages throw them undeclared.
      if (warned.compareAndSet(false, true)) {
        log.warn(
            "A span of a role failed. Jobs are not affected; spans may be missing, and later"
                + " failures are not logged",
            broken);
      }
    }
  }
}
