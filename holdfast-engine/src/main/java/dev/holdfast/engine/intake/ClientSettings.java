package dev.holdfast.engine.intake;

/**
 * The settings of a client.
 *
 * @param payloadLimit the maximum size of an encoded payload, in bytes of UTF-8; defaults to 1 MiB
 * @param strictQueues whether jobs for a queue that no live node serves are rejected. Defaults to
 *     false, which only logs a warning, since a node that serves the queue may be about to start
 */
public record ClientSettings(int payloadLimit, boolean strictQueues) {
  public static final ClientSettings DEFAULT = new ClientSettings(1 << 20, false);

  public ClientSettings {
    if (payloadLimit < 1) {
      throw new IllegalArgumentException(
          "Payload limit %d is not valid: use at least 1 byte.".formatted(payloadLimit));
    }
  }
}
