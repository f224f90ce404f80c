package dev.holdfast.api.lease;

import dev.holdfast.api.Page;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Acquires leases on your own keys. A lease has at most one holder in the whole cluster.
 *
 * <pre>{@code
 * try (var lease = leases.acquire("invoice:42", Duration.ofSeconds(120)).orElseThrow()) {
 *   archive(invoice, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>Leases are not reentrant: a holder that requests the same key again gets {@link
 * Acquisition.Busy}.
 */
public interface Leases {

  /**
   * Acquires a lease if no other holder has it. It does not wait.
   *
   * <p>A lease that is completed, failed or expired can be acquired again. A lease that its holder
   * has not renewed for its TTL, by the clock of the database, is taken over with a new fencing
   * token and the next attempt number.
   *
   * @param key what to lease, 1 to 256 characters
   * @param ttl how long a holder that died keeps the lease, 100 ms to 365 days. The lease is
   *     renewed while its holder is alive, so the TTL need not cover the work. A short one is taken
   *     over sooner after a crash, and lost sooner when the database is slow
   * @throws IllegalArgumentException if the key or the TTL is not valid
   * @throws dev.holdfast.api.StoreException if the database could not be reached in time. If the
   *     lease was granted nevertheless, the next request from this process gets it
   */
  Acquisition acquire(String key, Duration ttl);

  /**
   * Acquires a lease with the default TTL: 2 minutes, unless the node sets another.
   *
   * @see #acquire(String, Duration)
   */
  default Acquisition acquire(String key) {
    return acquire(key, LeaseRequest.DEFAULT_TTL);
  }

  /**
   * Acquires a lease if no other holder has it or completed it less than its TTL ago: for work to
   * be done once within that time. A failed lease can be acquired immediately.
   *
   * @param key what to lease, 1 to 256 characters
   * @param ttl how long a completed lease stays busy, and how long a holder that died keeps it; 100
   *     ms to 365 days
   */
  Acquisition acquireOnce(String key, Duration ttl);

  /**
   * Reopens a completed lease, so that {@link #acquireOnce} can acquire it immediately. A lease
   * that is held is not changed.
   *
   * @return whether there was a completed lease
   */
  boolean reopen(String key);

  /**
   * Marks leases as EXPIRED whose holders have not renewed them for their TTL, oldest first, and
   * returns them, each to one caller only. This is not necessary for acquiring them again; use it
   * to clean up after holders that died.
   *
   * @param limit the maximum number of leases, 1 to 1000
   */
  List<LeaseInfo> reclaimExpired(int limit);

  /**
   * Finds a lease.
   *
   * @return the lease; empty if it never existed or is no longer kept
   */
  Optional<LeaseInfo> find(String key);

  /** Lists leases, ordered by key. */
  List<LeaseInfo> list(Page<String> page);

  /** Lists the leases in a state, ordered by key. */
  List<LeaseInfo> list(LeaseState state, Page<String> page);

  /**
   * Returns leases for a program that runs as a single process, without a database: every request
   * is granted immediately, nothing is stored, and no lease is ever lost. Fencing tokens grow
   * within the process.
   */
  static Leases passThrough() {
    return new PassThroughLeases();
  }
}
