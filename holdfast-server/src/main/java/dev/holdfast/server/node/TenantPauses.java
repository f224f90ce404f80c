package dev.holdfast.server.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants that this server skips for a while, because it cannot work in them: for a second at
 * first, then longer each time.
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

  /** Records that work in the tenant is possible, or may be. */
  void end(int tenant) {
    pauses.remove(tenant);
  }

  /** Returns the tenants to skip for now. */
  List<Integer> at(long now) {
    return pauses.entrySet().stream()
        .filter(entry -> now - entry.getValue().until() < 0)
        .map(Map.Entry::getKey)
        .toList();
  }
}
