package dev.holdfast.api.lease;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.util.Optional;

/** The result of a request for a lease: {@link Acquired} or {@link Busy}. */
public sealed interface Acquisition {

  /**
   * The lease was acquired.
   *
   * @param lease the lease, held by this process
   */
  record Acquired(Lease lease) implements Acquisition {}

  /**
   * The lease was not acquired, because another holder has it or has completed it.
   *
   * @param key the key of the lease
   * @param holder the holder: the id of a node, or a host and process id
   * @param state CLAIMED; or DONE, if the lease was requested with {@link Leases#acquireOnce}
   * @param remaining how long the lease stays busy, unless it is renewed or ended before
   */
  record Busy(String key, String holder, LeaseState state, Duration remaining)
      implements Acquisition {

    /** Returns the result for a stored lease. */
    public static Busy with(LeaseInfo seen) {
      return new Busy(seen.key(), seen.holder(), seen.state(), seen.remaining());
    }

    /** Returns the reason in a sentence. */
    public String describe() {
      return state == LeaseState.DONE
          ? "Lease '%s' was completed by %s and cannot be acquired for another %s."
              .formatted(key, holder, Times.describe(remaining))
          : "Lease '%s' is held by %s for another %s, or longer if it is renewed."
              .formatted(key, holder, Times.describe(remaining));
    }
  }

  /**
   * Returns the lease, or throws an exception if it is busy.
   *
   * @throws LeaseBusyException if the lease was not acquired
   */
  default Lease orElseThrow() {
    return switch (this) {
      case Acquired acquired -> acquired.lease();
      case Busy busy -> throw new LeaseBusyException(busy);
    };
  }

  /** Returns the lease; empty if it is busy. */
  default Optional<Lease> toOptional() {
    return switch (this) {
      case Acquired acquired -> Optional.of(acquired.lease());
      case Busy busy -> Optional.empty();
    };
  }
}
