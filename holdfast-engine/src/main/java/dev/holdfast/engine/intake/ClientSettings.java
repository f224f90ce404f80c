package dev.holdfast.engine.intake;

import dev.holdfast.api.EnqueueInterceptor;
import io.opentelemetry.api.OpenTelemetry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client: {@link #DEFAULT}, {@linkplain #with changed} where needed.
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
  public static final ClientSettings DEFAULT = new ClientSettings(1 << 20, false, List.of(), null);

  public ClientSettings {
    interceptors = List.copyOf(interceptors);
    if (payloadLimit < 1) {
      throw new IllegalArgumentException(
          "Payload limit %d is not valid: use at least 1 byte.".formatted(payloadLimit));
    }
  }

  /** Returns these settings with some of them changed. */
  public ClientSettings with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  /** Collects changes to settings. A setting that is not changed keeps its value. */
  public static final class Builder {
    private int payloadLimit;
    private boolean strictQueues;
    private final List<EnqueueInterceptor> interceptors;
    private @Nullable OpenTelemetry telemetry;

    private Builder(ClientSettings from) {
      this.payloadLimit = from.payloadLimit;
      this.strictQueues = from.strictQueues;
      this.interceptors = new ArrayList<>(from.interceptors);
      this.telemetry = from.telemetry;
    }

    /**
     * Sets the maximum size of an encoded payload, in bytes of UTF-8. A larger payload is rejected
     * when its job is enqueued. Claims read payloads, so large ones slow down a queue: store a
     * large document elsewhere and enqueue its id. Defaults to 1 MiB.
     */
    public Builder payloadLimit(int bytes) {
      this.payloadLimit = bytes;
      return this;
    }

    /**
     * Sets whether jobs for a queue that no live node serves are rejected. This finds misspelled
     * queues, but also rejects jobs while the nodes that serve the queue are down. Defaults to
     * false, which only logs a warning.
     */
    public Builder strictQueues(boolean strict) {
      this.strictQueues = strict;
      return this;
    }

    /**
     * Runs this interceptor around each enqueue, inside those that the settings already have.
     * Defaults to none.
     */
    public Builder interceptEnqueues(EnqueueInterceptor inner) {
      this.interceptors.add(inner);
      return this;
    }

    /**
     * Records each enqueue, start of a run and event as an OpenTelemetry span. Its trace context is
     * stored with the jobs, in about 80 bytes, so that attempts on nodes with telemetry belong to
     * the same trace. Defaults to no spans, at no cost.
     */
    public Builder telemetry(OpenTelemetry traces) {
      this.telemetry = traces;
      return this;
    }

    private ClientSettings build() {
      return new ClientSettings(payloadLimit, strictQueues, interceptors, telemetry);
    }
  }
}
