package dev.holdfast.engine.lease;

import dev.holdfast.engine.time.Moment;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Acquisitions whose replies were lost. The database may have granted them; the next caller in this
 * process that asks for the same key repeats the acquisition and gets the lease, instead of being
 * locked out by its own process. Each is given to one caller only; otherwise two callers would both
 * be granted the lease.
 */
final class UnconfirmedAcquisitions {
  private record Doubt(UUID acquisition, Moment until) {}

  private final Map<String, Doubt> doubts = new ConcurrentHashMap<>();

  /** Keeps an acquisition for as long as it may block other callers. */
  void remember(String key, UUID acquisition, Moment now, Moment until) {
    doubts.values().removeIf(doubt -> doubt.until().isBefore(now));
    doubts.put(key, new Doubt(acquisition, until));
  }

  Optional<UUID> take(String key) {
    return Optional.ofNullable(doubts.remove(key)).map(Doubt::acquisition);
  }
}
