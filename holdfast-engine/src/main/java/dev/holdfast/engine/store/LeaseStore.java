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
 * Who holds which lease. Times are those of the store's clock; a token is taken from one sequence
 * for all keys, so that it grows even where a lease was forgotten in between.
 */
public interface LeaseStore {

  /** What a holder believes it holds. */
  record LeaseClaim(String key, long token) {}

  /** A wish to hold on to a lease for this long from now on. */
  record Renewal(LeaseClaim claim, Duration ttl) {}

  /** The answer to a wish for a lease. */
  sealed interface Result {
    /**
     * It was granted.
     *
     * @param attempt 1, and 1 more for each holder that was lost since it was last done or failed
     */
    record Granted(long token, int attempt) implements Result {
      /** Whether it was taken over from a holder that was lost. */
      public boolean isSteal() {
        return attempt > 1;
      }
    }

    /** Somebody else has it. */
    record Taken(LeaseInfo by) implements Result {}
  }

  /** How a holder lets go. */
  sealed interface Ending {
    /** The work is done. */
    record Done() implements Ending {}

    /** The work failed. */
    record Failed(String detail) implements Ending {}
  }

  /**
   * Acquire a lease unless it is claimed and has time left; or, if wanted once, done and has time
   * left.
   *
   * @param acquisition made by the caller for this wish. A repeat under the same one that finds the
   *     lease claimed by it gets it again, under the same token, for the whole ttl
   * @param holder what people call the caller
   */
  Result acquire(LeaseRequest request, UUID acquisition, String holder);

  /**
   * Hold on to leases that are claimed under their token and have time left.
   *
   * @return the tokens of those; the others are lost
   */
  Set<Long> renew(List<Renewal> renewals);

  /**
   * End a lease that is claimed under this token, even if its time is over. A lease that is done
   * has its whole ttl left.
   *
   * @return whether it ended so under this token, now or before
   */
  boolean end(LeaseClaim grip, Ending how);

  /** Let a lease that is done have no time left, and say whether there was one that had. */
  boolean reopen(String key);

  /** Mark claimed leases that have no time left as expired, longest ago first, and return them. */
  List<LeaseInfo> reclaimExpired(int limit);

  Optional<LeaseInfo> find(String key);

  /** Leases by key, in the order of their characters' codes, after the given one. */
  List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit);
}
