package dev.holdfast.engine.intake;

/**
 * How a client behaves.
 *
 * @param payloadLimit how large an encoded payload may be, in bytes of UTF-8; defaults to 1 MiB
 * @param strictQueues whether a queue that no live node serves is refused; by default it is only
 *     warned about, since its node may be about to start
 */
public record ClientSettings(int payloadLimit, boolean strictQueues) {
  public static final ClientSettings DEFAULT = new ClientSettings(1 << 20, false);

  public ClientSettings {
    if (payloadLimit < 1) {
      throw new IllegalArgumentException(
          "A payload limit of %d is not valid: give at least 1.".formatted(payloadLimit));
    }
  }
}
