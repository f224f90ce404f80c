package dev.holdfast.server.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants that this server leaves out for a while, because it cannot work for them at present:
 * the first time for a second, then longer and longer.
 */
final class TenantPauses {
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private record Pause(long until, long length) {}

  private final Map<Integer, Pause> pauses = new ConcurrentHashMap<>();

  void start(int tenant) {
    pauses.compute(
        tenant,
        (id, before) -> {
          long length =
              before == null ? FIRST.toNanos() : Math.min(LONGEST.toNanos(), 2 * before.length());
          return new Pause(System.nanoTime() + length, length);
        });
  }

  /** Notes that the tenant can be worked for, or may be. */
  void end(int tenant) {
    pauses.remove(tenant);
  }

  /** Returns the tenants to leave out at present. */
  List<Integer> at(long now) {
    return pauses.entrySet().stream()
        .filter(entry -> now - entry.getValue().until() < 0)
        .map(Map.Entry::getKey)
        .toList();
  }
}
