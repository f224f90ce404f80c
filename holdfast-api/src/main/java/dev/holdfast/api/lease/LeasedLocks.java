package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Optional;

/** Implements locks with leases. */
record LeasedLocks(Leases leases) implements Locks {
  private static final String PREFIX = "lock:";

  @Override
  public Acquisition tryLock(String name, Duration ttl) {
    return leases.acquire(PREFIX + name, ttl);
  }

  @Override
  public Acquisition tryLock(String name) {
    return leases.acquire(PREFIX + name);
  }

  @Override
  public Optional<LeaseInfo> owner(String name) {
    return leases.find(PREFIX + name).filter(LeaseInfo::isHeld);
  }
}
