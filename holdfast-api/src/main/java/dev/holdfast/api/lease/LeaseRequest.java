package dev.holdfast.api.lease;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import java.time.Duration;

/**
 * A request for a lease.
 *
 * @param key what to lease, 1 to 256 characters
 * @param ttl how long a holder that died keeps the lease, 100 ms to 365 days
 * @param once whether a completed lease stays busy for its TTL, see {@link Leases#acquireOnce}
 */
public record LeaseRequest(String key, Duration ttl, boolean once) {

  /** The default TTL unless a node sets another: 2 minutes. */
  public static final Duration DEFAULT_TTL = Duration.ofMinutes(2);

  /** The shortest TTL: a shorter one could be over before a busy database responds. */
  public static final Duration SHORTEST_TTL = Duration.ofMillis(100);

  /** The longest TTL. */
  public static final Duration LONGEST_TTL = Duration.ofDays(365);

  /**
   * Checks the key and the TTL.
   *
   * @throws IllegalArgumentException if one of them is not valid
   */
  public LeaseRequest {
    Names.text("Lease key", key);
    checkTtl("lease '%s'".formatted(key), ttl);
  }

  /**
   * Checks a TTL and returns it.
   *
   * @param of what the TTL is for, for the message
   * @throws IllegalArgumentException if it is not valid
   */
  public static Duration checkTtl(String of, Duration ttl) {
    if (ttl.compareTo(SHORTEST_TTL) < 0 || ttl.compareTo(LONGEST_TTL) > 0) {
      throw new IllegalArgumentException(
          "A TTL of %s for %s is not valid: give %s to %s. A lease is renewed while its holder is alive, so the TTL need not cover the work."
              .formatted(
                  Times.describe(ttl),
                  of,
                  Times.describe(SHORTEST_TTL),
                  Times.describe(LONGEST_TTL)));
    }
    return ttl;
  }

  /** Returns a request that is granted unless the lease is held. */
  public static LeaseRequest of(String key, Duration ttl) {
    return new LeaseRequest(key, ttl, false);
  }
}
