package dev.holdfast.engine.store;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores leases and their holders. Times are those of the store's clock. A token is taken from one
 * sequence for all keys, so that it grows even if a lease was deleted in between.
 */
public interface LeaseStore {

  /** A lease as its holder knows it. */
  record LeaseClaim(String key, long token) {}

  /**
   * A request to renew a lease for the given time from now.
   *
   * @param mayShorten whether the lease gets exactly this time, even if it has more left; otherwise
   *     its time and its TTL are only extended, so that a request that is executed late takes
   *     nothing away
   */
  record Renewal(LeaseClaim claim, Duration ttl, boolean mayShorten) {
    /** Returns a request to extend a lease. */
    public static Renewal extend(LeaseClaim claim, Duration ttl) {
      return new Renewal(claim, ttl, false);
    }

    /** Returns a request to set the time of a lease, which may become shorter. */
    public static Renewal reset(LeaseClaim claim, Duration ttl) {
      return new Renewal(claim, ttl, true);
    }
  }

  /** The result of a request for a lease. */
  sealed interface Result {
    /**
     * The lease was granted.
     *
     * @param attempt 1, plus 1 for each holder that was lost since the work was last done or failed
     */
    record Granted(long token, int attempt) implements Result {
      /** Returns whether the lease was taken over from a holder that was lost. */
      public boolean isSteal() {
        return attempt > 1;
      }
    }

    /** Another holder has the lease, or its work is done. */
    record Taken(LeaseInfo by) implements Result {}
  }

  /** How a holder ends its lease. */
  sealed interface Ending {
    /** The work is done. */
    record Done() implements Ending {}

    /** The work failed. */
    record Failed(String detail) implements Ending {}
  }

  /**
   * Acquires a lease unless it is claimed and has time left or, if requested once, is done and has
   * time left.
   *
   * @param acquisition an id that the caller makes for this request. A repeat with the same id that
   *     finds the lease claimed by it gets the lease again, under the same token, for the whole
   *     TTL; its time and its TTL are only extended, since the repeat may be executed late
   * @param holder the display name of the caller
   */
  Result acquire(LeaseRequest request, UUID acquisition, String holder);

  /**
   * Renews leases that are claimed under their token and have time left.
   *
   * @return the tokens of the renewed leases; the others are lost
   */
  Set<Long> renew(List<Renewal> renewals);

  /**
   * Ends a lease that is claimed under this token, even if its time is over. A lease that is done
   * has its whole TTL left.
   *
   * @return whether the lease ended in this way under this token, now or before
   */
  boolean end(LeaseClaim claim, Ending how);

  /**
   * Sets the remaining time of a lease that is done to zero, and returns whether there was such a
   * lease with time left.
   */
  boolean reopen(String key);

  /**
   * Marks claimed leases that have no time left as expired, longest ago first, and returns them.
   */
  List<LeaseInfo> reclaimExpired(int limit);

  /** Returns the lease with this key, if there is one. */
  Optional<LeaseInfo> find(String key);

  /** Lists leases by key, in the order of the character codes, after the given key. */
  List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit);
}
