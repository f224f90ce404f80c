package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Optional;

/**
 * Named locks, each with an owner and an expiry. A lock is a lease whose key starts with {@code
 * lock:}.
 *
 * <pre>{@code
 * locks.tryLock("nightly-report", Duration.ofMinutes(2)).toOptional().ifPresent(lock -> {
 *   try (lock) {
 *     report();
 *   }
 * });
 * }</pre>
 *
 * <p>A lock belongs to the returned {@link Lease} and not to a thread. It is not reentrant, and is
 * unlocked by closing the lease. It is renewed while its owner is alive, so the TTL is how long an
 * owner that died keeps the lock, not how long the work may take.
 */
public interface Locks {

  /**
   * Acquires a lock if it is free. It does not wait.
   *
   * @param name the name of the lock, 1 to 251 characters
   * @param ttl how long an owner that died keeps the lock, 100 ms to 365 days
   */
  Acquisition tryLock(String name, Duration ttl);

  /**
   * Acquires a lock with the default TTL of the leases: 2 minutes, unless the node sets another.
   *
   * @see #tryLock(String, Duration)
   */
  Acquisition tryLock(String name);

  /** Returns the current owner of a lock and how long it is held; empty if the lock is free. */
  Optional<LeaseInfo> owner(String name);

  /** Returns locks that are stored as these leases. */
  static Locks over(Leases leases) {
    return new LeasedLocks(leases);
  }
}
