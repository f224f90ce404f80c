package dev.holdfast.api.lease;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored lease and its state.
 *
 * @param key its key
 * @param state its state
 * @param holder the current or last holder: the id of a node, or a host and process id
 * @param fencingToken the fencing token of that holder
 * @param attempt 1, plus 1 for each holder that lost the lease since it was last completed or
 *     failed
 * @param acquiredAt when that holder acquired it
 * @param remaining how long it is held if it is not renewed, by the clock of the database; zero if
 *     that time is over. If it is DONE: how long {@link Leases#acquireOnce} cannot acquire it
 * @param endedAt when it was completed, failed or marked as expired; null while it is CLAIMED
 * @param detail why it failed, as given by its holder; null otherwise
 */
public record LeaseInfo(
    String key,
    LeaseState state,
    String holder,
    long fencingToken,
    int attempt,
    Instant acquiredAt,
    Duration remaining,
    @Nullable Instant endedAt,
    @Nullable String detail) {

  /** Returns whether the lease is held: it is CLAIMED, and its time is not over. */
  public boolean isHeld() {
    return state == LeaseState.CLAIMED && !remaining.isZero();
  }
}
