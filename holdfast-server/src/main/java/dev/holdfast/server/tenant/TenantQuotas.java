package dev.holdfast.server.tenant;

import org.jspecify.annotations.Nullable;

/**
 * The quotas of a tenant. 0 means no limit, and null means the limit of the server.
 *
 * @param queuedJobs jobs that have not started
 * @param openRuns runs that have not ended
 * @param payloadBytes the bytes of a request that creates work
 * @param schedules schedules
 */
public record TenantQuotas(
    @Nullable Integer queuedJobs,
    @Nullable Integer openRuns,
    @Nullable Integer payloadBytes,
    @Nullable Integer schedules) {

  /** The limits of the server. */
  public static final TenantQuotas OF_SERVER = new TenantQuotas(null, null, null, null);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is negative
   */
  public TenantQuotas {
    check("queuedJobs", queuedJobs);
    check("openRuns", openRuns);
    check("payloadBytes", payloadBytes);
    check("schedules", schedules);
  }

  private static void check(String what, @Nullable Integer value) {
    if (value != null && value < 0) {
      throw new IllegalArgumentException(
          "quotas.%s %d is not valid: give 0 for any number, or more, or null for the limit of the server."
              .formatted(what, value));
    }
  }
}
