package dev.holdfast.server.tenant;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a tenant.
 *
 * @param keepHistory how long ended jobs are kept; nodes apply a change when they start
 * @param keepDeadLetters how long dead-lettered jobs are kept; nodes apply a change when they start
 * @param requestsPerSecond how many requests a second each key may make; null for the limit of the
 *     server
 */
public record TenantSettings(
    Duration keepHistory, Duration keepDeadLetters, @Nullable Integer requestsPerSecond) {

  private static final Duration SHORTEST = Duration.ofHours(1);
  private static final Duration LONGEST = Duration.ofDays(3_650);

  /** The settings of a new tenant. */
  public static final TenantSettings DEFAULT =
      new TenantSettings(Duration.ofDays(14), Duration.ofDays(90), null);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public TenantSettings {
    check("keepHistory", keepHistory);
    check("keepDeadLetters", keepDeadLetters);
    if (requestsPerSecond != null && (requestsPerSecond < 1 || requestsPerSecond > 1_000_000)) {
      throw new IllegalArgumentException(
          "requestsPerSecond %d is not valid: give 1 to 1000000, or null for the limit of the server."
              .formatted(requestsPerSecond));
    }
  }

  private static void check(String what, Duration value) {
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s %s is not valid: give %s to %s.".formatted(what, value, SHORTEST, LONGEST));
    }
  }
}
