package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Requests the renewal of leases and applies the result to each. */
final class Renewals {
  private Renewals() {}

  /**
   * Renews leases in one call.
   *
   * @param sentAt a moment before this call, from which their new time is counted
   */
  static void ask(LeaseParts parts, List<HeldLease> leases, Moment sentAt) {
    Moment began = parts.ticker().now();
    Set<Long> renewed;
    try {
      renewed = parts.book().renew(leases.stream().map(HeldLease::toRenewal).toList());
    } catch (StoreException noAnswer) {
      Duration took = began.until(parts.ticker().now());
      for (HeldLease lease : leases) {
        parts.meters().renewFailed(took);
        lease.notRenewed(sentAt);
      }
      throw noAnswer;
    }
    Duration took = began.until(parts.ticker().now());
    for (HeldLease lease : leases) {
      if (renewed.contains(lease.fencingToken())) {
        parts.meters().renewed(took);
        lease.renewed(sentAt);
      } else {
        parts.meters().renewFailed(took);
        lease.refused();
      }
    }
  }
}
