package dev.holdfast.api.lease;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored lease and its state.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface LeaseInfo {
  /** Returns its key. */
  String key();

  /** Returns its state. */
  LeaseState state();

  /** Returns the current or last holder: the id of a node, or a host and process id. */
  String holder();

  /** Returns the fencing token of that holder. */
  long fencingToken();

  /**
   * Returns 1, plus 1 for each holder that lost the lease since it was last completed or failed.
   */
  int attempt();

  /** Returns when that holder acquired it. */
  Instant acquiredAt();

  /**
   * Returns how long it is held if it is not renewed, by the clock of the database; zero if that
   * time is over. If it is DONE: how long {@link Leases#acquireOnce} cannot acquire it.
   */
  Duration remaining();

  /** Returns when it was completed, failed or marked as expired; null while it is CLAIMED. */
  @Nullable Instant endedAt();

  /** Returns why it failed, as given by its holder; null otherwise. */
  @Nullable String detail();

  /** Returns whether the lease is held: it is CLAIMED, and its time is not over. */
  default boolean isHeld() {
    return state() == LeaseState.CLAIMED && !remaining().isZero();
  }
}
