package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Leases on keys of the user's own: one holder at a time in the whole cluster.
 *
 * <pre>{@code
 * try (var lease = leases.acquire("invoice:42", Duration.ofSeconds(120)).orElseThrow()) {
 *   archive(invoice, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>Leases are not reentrant: whoever holds one and asks again is told that it is busy.
 */
public interface Leases {

  /**
   * Acquire a lease if nobody holds it. It does not wait.
   *
   * <p>One that is done, failed or expired can be acquired again. One whose holder has been silent
   * past its ttl, by the database's clock, is taken over: under a new token, and with an attempt
   * that is larger by one.
   *
   * @throws IllegalArgumentException for a key or ttl that is not valid
   * @throws dev.holdfast.api.StoreException if the database could not be asked in time. If the
   *     lease was granted all the same, asking again in this process finds it
   */
  Acquisition acquire(String key, Duration ttl);

  /** Acquire a lease with a ttl of 120 s. */
  default Acquisition acquire(String key) {
    return acquire(key, LeaseRequest.DEFAULT_TTL);
  }

  /**
   * Acquire a lease if nobody holds it and nobody completed it within the ttl that its holder gave:
   * for what is to be done once in that time. One that failed can be acquired at once.
   */
  Acquisition acquireOnce(String key, Duration ttl);

  /**
   * Let a lease that is done no longer stand in the way of {@link #acquireOnce}.
   *
   * @return whether there was one; a lease that is held is left alone
   */
  boolean reopen(String key);

  /**
   * Mark leases whose holders were silent past their ttl as EXPIRED, longest ago first, and return
   * them: each to one caller only. Nobody needs to do this for them to be acquired again; it is for
   * whoever cleans up behind holders that were lost.
   *
   * @param limit how many at most, 1 to 1000
   */
  List<LeaseInfo> reclaimExpired(int limit);

  /** Look at a lease; empty if there was never one, or it ended long ago. */
  Optional<LeaseInfo> find(String key);

  /**
   * List leases by key.
   *
   * @param state which; null for all
   * @param after where the page before this one ended: its last key; null for the first page
   * @param limit how many at most, 1 to 1000
   */
  List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit);

  /**
   * Leases for a program that runs alone: every wish is granted at once, nothing is kept, nothing
   * is ever lost. Tokens grow within the process.
   */
  static Leases passThrough() {
    return new PassThroughLeases();
  }
}
