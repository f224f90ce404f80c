package dev.holdfast.api.lease;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lease as people look at it.
 *
 * @param key what is held
 * @param state where it is in its life
 * @param holder who holds it or held it last: a node's id, or a host and process
 * @param fencingToken the token of that holder
 * @param attempt 1, and 1 more for each holder that was lost since it was last done or failed
 * @param acquiredAt since when that holder has or had it
 * @param remaining how long it is still held without a sign of life, by the database's clock; zero
 *     if that is over. Of one that is DONE: how long {@link Leases#acquireOnce} is still refused
 * @param endedAt when it was done, failed or found expired; null while it is claimed
 * @param detail what its holder said when it failed
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

  /** Whether somebody holds it and has time left. */
  public boolean isHeld() {
    return state == LeaseState.CLAIMED && !remaining.isZero();
  }
}
