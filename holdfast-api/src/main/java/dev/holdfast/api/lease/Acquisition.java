package dev.holdfast.api.lease;

import java.time.Duration;
import java.util.Optional;

/** What became of a wish for a lease. */
public sealed interface Acquisition {

  /** It is ours. */
  record Acquired(Lease lease) implements Acquisition {}

  /**
   * Somebody else has it.
   *
   * @param key what was wanted
   * @param holder who has it: a node's id, or a host and process
   * @param state CLAIMED; or DONE, if it was wanted {@linkplain Leases#acquireOnce once}
   * @param remaining how long that stays so, unless it is renewed or ended before
   */
  record Busy(String key, String holder, LeaseState state, Duration remaining)
      implements Acquisition {

    /** Busy with what a store has seen. */
    public static Busy with(LeaseInfo seen) {
      return new Busy(seen.key(), seen.holder(), seen.state(), seen.remaining());
    }

    /** A sentence for people. */
    public String describe() {
      return state == LeaseState.DONE
          ? "'%s' was done by %s, which counts for another %s.".formatted(key, holder, remaining)
          : "'%s' is held by %s for another %s, or longer if it renews."
              .formatted(key, holder, remaining);
    }
  }

  /**
   * The lease.
   *
   * @throws LeaseBusyException if somebody else has it
   */
  default Lease orElseThrow() {
    return switch (this) {
      case Acquired got -> got.lease();
      case Busy busy -> throw new LeaseBusyException(busy);
    };
  }

  /** The lease, or nothing if somebody else has it. */
  default Optional<Lease> toOptional() {
    return switch (this) {
      case Acquired got -> Optional.of(got.lease());
      case Busy busy -> Optional.empty();
    };
  }
}
