package dev.holdfast.engine.intake;

import dev.holdfast.api.EnqueueInterceptor;
import io.opentelemetry.api.OpenTelemetry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client.
 *
 * @param payloadLimit the maximum size of an encoded payload, in bytes of UTF-8; defaults to 1 MiB
 * @param strictQueues whether jobs for a queue that no live node serves are rejected. Defaults to
 *     false, which only logs a warning, since a node that serves the queue may be about to start
 * @param interceptors run around each enqueue, the first outermost; defaults to none
 * @param telemetry receives a span for each enqueue, start of a run and event. Its trace context is
 *     stored with the jobs, in about 80 bytes, so that attempts on nodes with telemetry belong to
 *     the same trace. Defaults to null, which creates no spans and stores nothing
 */
public record ClientSettings(
    int payloadLimit,
    boolean strictQueues,
    List<EnqueueInterceptor> interceptors,
    @Nullable OpenTelemetry telemetry) {
  public static final ClientSettings DEFAULT = new ClientSettings(1 << 20, false);

  public ClientSettings {
    interceptors = List.copyOf(interceptors);
    if (payloadLimit < 1) {
      throw new IllegalArgumentException(
          "Payload limit %d is not valid: use at least 1 byte.".formatted(payloadLimit));
    }
  }

  /** Creates settings without interceptors. */
  public ClientSettings(int payloadLimit, boolean strictQueues) {
    this(payloadLimit, strictQueues, List.of());
  }

  /** Creates settings without telemetry. */
  public ClientSettings(
      int payloadLimit, boolean strictQueues, List<EnqueueInterceptor> interceptors) {
    this(payloadLimit, strictQueues, interceptors, null);
  }

  /** Returns these settings with spans for calls. */
  public ClientSettings tracing(OpenTelemetry telemetry) {
    return new ClientSettings(payloadLimit, strictQueues, interceptors, telemetry);
  }

  /** Returns these settings with one more interceptor, which runs inside the existing ones. */
  public ClientSettings intercepting(EnqueueInterceptor inner) {
    List<EnqueueInterceptor> all = new ArrayList<>(interceptors);
    all.add(inner);
    return new ClientSettings(payloadLimit, strictQueues, all, telemetry);
  }
}
