package dev.holdfast.engine.lease;

import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.time.Moment;

/**
 * Takes leases away from their holders when their time is over. It never calls the database, so it
 * is on time even if the database is unavailable and the Renewer is stuck.
 */
public final class LeaseExpiry implements Role {
  private final HeldLeases held;

  public LeaseExpiry(HeldLeases held) {
    this.held = held;
  }

  @Override
  public String name() {
    return "lease-fence";
  }

  @Override
  public Moment tick(Moment now) {
    Moment next = Moment.NEVER;
    for (HeldLease lease : held.all()) {
      lease.fence(now);
      next = next.earlier(lease.deadline());
    }
    return next;
  }
}
