package dev.holdfast.server.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The label values of tenants. The first hundred tenants have their own; all others share one, so
 * that the number of time series is bounded.
 */
final class TenantLabels {
  /** The label of tenants beyond the first hundred. No tenant can have this name. */
  static final String OTHER = "_other";

  static final int MOST = 100;

  private final Set<String> known = ConcurrentHashMap.newKeySet();

  String of(String tenant) {
    if (known.contains(tenant)) {
      return tenant;
    }
    synchronized (this) {
      if (known.size() < MOST) {
        known.add(tenant);
      }
      return known.contains(tenant) ? tenant : OTHER;
    }
  }
}
