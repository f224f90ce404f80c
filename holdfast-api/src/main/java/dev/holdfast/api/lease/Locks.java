package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Optional;

/**
 * Named locks, each with an owner and an expiry: leases whose keys begin with {@code lock:}.
 *
 * <pre>{@code
 * locks.tryLock("nightly-report", Duration.ofMinutes(2)).toOptional().ifPresent(lock -> {
 *   try (lock) {
 *     report();
 *   }
 * });
 * }</pre>
 *
 * <p>A lock belongs to the {@link Lease} that was returned and not to a thread, is not reentrant,
 * and is unlocked by closing it. It is renewed while its owner lives, so the ttl is how long a dead
 * owner keeps others out, not how long the work may take.
 */
public interface Locks {

  /**
   * Lock if nobody else has. It does not wait.
   *
   * @param name 1 to 251 characters
   * @param ttl 100 ms to 365 days
   */
  Acquisition tryLock(String name, Duration ttl);

  /** Lock with a ttl of 120 s. */
  default Acquisition tryLock(String name) {
    return tryLock(name, LeaseRequest.DEFAULT_TTL);
  }

  /** Who holds a lock, and for how long still; empty if nobody does. */
  Optional<LeaseInfo> owner(String name);

  /** Locks on these leases. */
  static Locks over(Leases leases) {
    return new LeasedLocks(leases);
  }
}
