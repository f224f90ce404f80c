package dev.holdfast.server.tenant;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a tenant.
 *
 * @param keepHistory how long ended jobs are kept; servers apply a change within about an hour
 * @param keepDeadLetters how long dead-lettered jobs are kept; servers apply a change within about
 *     an hour
 * @param requestsPerSecond how many requests a second all its keys together may make; null for the
 *     quota of the server
 * @param weight how many times the slots of a tenant with weight 1 it gets on a busy server
 * @param maxHeld how many jobs all servers together may run for it at the same time; null for no
 *     limit. Each server applies a change when it has read it, some seconds later
 * @param quotas how much it may have
 * @param packages which packages it accepts
 */
public record TenantSettings(
    Duration keepHistory,
    Duration keepDeadLetters,
    @Nullable Integer requestsPerSecond,
    int weight,
    @Nullable Integer maxHeld,
    TenantQuotas quotas,
    TenantPackages packages) {

  private static final Duration SHORTEST = Duration.ofHours(1);
  private static final Duration LONGEST = Duration.ofDays(3_650);

  /** The settings of a new tenant. */
  public static final TenantSettings DEFAULT =
      new TenantSettings(
          Duration.ofDays(14),
          Duration.ofDays(90),
          null,
          1,
          null,
          TenantQuotas.OF_SERVER,
          TenantPackages.ANY);

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
          "requestsPerSecond %d is not valid: give 1 to 1000000, or null for the quota of the server."
              .formatted(requestsPerSecond));
    }
    if (weight < 1 || weight > 1_000) {
      throw new IllegalArgumentException(
          "weight %d is not valid: give 1 to 1000.".formatted(weight));
    }
    if (maxHeld != null && (maxHeld < 1 || maxHeld > 1_000_000)) {
      throw new IllegalArgumentException(
          "maxHeld %d is not valid: give 1 to 1000000, or null for no limit.".formatted(maxHeld));
    }
  }

  private static void check(String what, Duration value) {
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s %s is not valid: give %s to %s.".formatted(what, value, SHORTEST, LONGEST));
    }
  }
}
