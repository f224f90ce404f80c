package dev.holdfast.engine.lease;

import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.api.lease.LeaseState;

/** Receives what happens to the leases of a process. No method blocks or throws. */
public interface LeaseEvents {

  /** Ignores all events. */
  LeaseEvents NONE =
      new LeaseEvents() {
        @Override
        public void leaseAcquired(Lease lease) {}

        @Override
        public void leaseReleased(Lease lease, LeaseState how) {}

        @Override
        public void leaseLost(Lease lease, LeaseLoss why) {}
      };

  void leaseAcquired(Lease lease);

  /** Reports that a lease that was held is DONE or FAILED. */
  void leaseReleased(Lease lease, LeaseState how);

  /** Reports that a lease is no longer held although it was not released. */
  void leaseLost(Lease lease, LeaseLoss why);
}
