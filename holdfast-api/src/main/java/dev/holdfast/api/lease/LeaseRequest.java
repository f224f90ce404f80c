package dev.holdfast.api.lease;

import dev.holdfast.api.internal.Names;
import java.time.Duration;

/**
 * A wish for a lease, checked when it is built.
 *
 * @param key what to hold, 1 to 256 characters
 * @param ttl how long it is held without a sign of life, 100 ms to 365 days
 * @param once whether one that is DONE stands in the way, too, for its ttl from then on
 */
public record LeaseRequest(String key, Duration ttl, boolean once) {

  /** How long a lease is held without a sign of life, unless another time is given. */
  public static final Duration DEFAULT_TTL = Duration.ofMinutes(2);

  /** Less than this would be over before the answer of a busy database came. */
  public static final Duration SHORTEST_TTL = Duration.ofMillis(100);

  /** More than this would outlive whoever remembers why. */
  public static final Duration LONGEST_TTL = Duration.ofDays(365);

  public LeaseRequest {
    Names.text("Lease key", key);
    if (ttl.compareTo(SHORTEST_TTL) < 0 || ttl.compareTo(LONGEST_TTL) > 0) {
      throw new IllegalArgumentException(
          "A ttl of %s for lease '%s' is not valid: give %d ms to %d days. A lease is renewed while its holder lives, so the ttl need not cover the work."
              .formatted(ttl, key, SHORTEST_TTL.toMillis(), LONGEST_TTL.toDays()));
    }
  }

  /** A wish that any lease but one that is held fulfils. */
  public static LeaseRequest of(String key, Duration ttl) {
    return new LeaseRequest(key, ttl, false);
  }
}
