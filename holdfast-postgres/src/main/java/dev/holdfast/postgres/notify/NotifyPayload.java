package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalText;
import java.util.Optional;

/**
 * What a NOTIFY carries: the process that sent it, and the {@linkplain SignalText text} of a signal
 * or a ping, {@code sender:text}.
 *
 * @param sender the process that sent it
 * @param text the text of a signal, or a ping
 */
record NotifyPayload(String sender, String text) {
  private static final String PING = "ping:";

  static String of(String sender, Signal signal) {
    return sender + ":" + SignalText.write(signal);
  }

  /** Returns a payload with which a process checks whether it receives notifications. */
  static String ping(String sender, long number) {
    return sender + ":" + PING + number;
  }

  static Optional<NotifyPayload> split(String payload) {
    int colon = payload.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : Optional.of(new NotifyPayload(payload.substring(0, colon), payload.substring(colon + 1)));
  }

  boolean isPing() {
    return text.startsWith(PING);
  }
}
