package dev.holdfast.engine.lease;

import dev.holdfast.engine.time.Moment;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Acquisitions whose answers were lost. The database may have granted them; whoever in this process
 * asks for the same key next repeats the acquisition and gets the lease, instead of being locked
 * out by itself. Each is handed to one caller only: two would both be granted.
 */
final class UnconfirmedAcquisitions {
  private record Doubt(UUID acquisition, Moment until) {}

  private final Map<String, Doubt> doubts = new ConcurrentHashMap<>();

  /** Remember an acquisition for as long as it may be in anybody's way. */
  void remember(String key, UUID acquisition, Moment now, Moment until) {
    doubts.values().removeIf(doubt -> doubt.until().isBefore(now));
    doubts.put(key, new Doubt(acquisition, until));
  }

  Optional<UUID> take(String key) {
    return Optional.ofNullable(doubts.remove(key)).map(Doubt::acquisition);
  }
}
