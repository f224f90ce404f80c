package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Requests the renewal of leases and applies the result to each. */
final class Renewals {
  private Renewals() {}

  /** Renews leases in one call. */
  static void request(LeaseParts parts, Map<HeldLease, LeaseTime.Sent> leases) {
    Moment began = parts.ticker().now();
    List<Renewal> renewals = new ArrayList<>();
    leases.forEach((lease, sent) -> renewals.add(lease.toRenewal(sent)));
    Set<Long> renewed;
    try {
      renewed = parts.book().renew(renewals);
    } catch (StoreException noReply) {
      Duration took = began.until(parts.ticker().now());
      leases.forEach((lease, sent) -> {
        parts.meters().renewFailed(took);
        lease.notRenewed(sent, noReply.outcome() == Outcome.UNKNOWN);
      });
      throw noReply;
    }
    Duration took = began.until(parts.ticker().now());
    leases.forEach((lease, sent) -> {
      if (renewed.contains(lease.fencingToken())) {
        parts.meters().renewed(took);
        lease.renewed(sent);
      } else {
        parts.meters().renewFailed(took);
        lease.refused();
      }
    });
  }
}
