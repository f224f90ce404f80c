package dev.holdfast.engine.intake;

import dev.holdfast.api.EnqueueInterceptor;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of a client.
 *
 * @param payloadLimit the maximum size of an encoded payload, in bytes of UTF-8; defaults to 1 MiB
 * @param strictQueues whether jobs for a queue that no live node serves are rejected. Defaults to
 *     false, which only logs a warning, since a node that serves the queue may be about to start
 * @param interceptors run around each enqueue, the first outermost; defaults to none
 */
public record ClientSettings(
    int payloadLimit, boolean strictQueues, List<EnqueueInterceptor> interceptors) {
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

  /** Returns these settings with one more interceptor, which runs inside the existing ones. */
  public ClientSettings intercepting(EnqueueInterceptor inner) {
    List<EnqueueInterceptor> all = new ArrayList<>(interceptors);
    all.add(inner);
    return new ClientSettings(payloadLimit, strictQueues, all);
  }
}
