package dev.holdfast.testkit.memory;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseSnapshot;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The row of a lease. */
final class LeaseRow {
  final String key;
  LeaseState state = LeaseState.CLAIMED;
  String holder;
  UUID acquisition;
  long token;
  int attempt;
  Instant acquiredAt;
  Instant expiresAt;
  Duration ttl;
  @Nullable Instant endedAt;
  @Nullable String detail;

  LeaseRow(LeaseRequest request, UUID acquisition, String holder, Instant now) {
    this.key = request.key();
    this.acquisition = acquisition;
    this.holder = holder;
    this.acquiredAt = now;
    this.ttl = request.ttl();
    this.expiresAt = now.plus(ttl);
  }

  boolean isOver(Instant now) {
    return !expiresAt.isAfter(now);
  }

  boolean isClaimedUnder(long believed) {
    return state == LeaseState.CLAIMED && token == believed;
  }

  /** Returns whether this request was granted before and its lease has not ended. */
  boolean isRepeat(UUID requested) {
    return state == LeaseState.CLAIMED && acquisition.equals(requested);
  }

  boolean isAvailable(LeaseRequest request, UUID requested, Instant now) {
    return switch (state) {
      case CLAIMED -> acquisition.equals(requested) || isOver(now);
      case EXPIRED -> true;
      case FAILED -> !acquisition.equals(requested);
      case DONE -> !acquisition.equals(requested) && !(request.once() && !isOver(now));
    };
  }

  void renew(Renewal renewal, Instant now) {
    if (renewal.mayShorten()) {
      expiresAt = now.plus(renewal.ttl());
      ttl = renewal.ttl();
    } else {
      extend(now.plus(renewal.ttl()), renewal.ttl());
    }
  }

  /** Extends its time and its TTL to these, unless they are longer already. */
  void extend(Instant until, Duration to) {
    expiresAt = until.isAfter(expiresAt) ? until : expiresAt;
    ttl = to.compareTo(ttl) > 0 ? to : ttl;
  }

  void end(LeaseState how, @Nullable String why, Instant now) {
    state = how;
    endedAt = now;
    detail = why;
    if (how == LeaseState.DONE) {
      expiresAt = now.plus(ttl);
    }
  }

  /** Returns whether it ended before the first time, or was abandoned before the second. */
  boolean isForgettable(Instant now, Instant endedBefore, Instant abandonedBefore) {
    if (state == LeaseState.CLAIMED) {
      return isOver(abandonedBefore);
    }
    return endedAt != null
        && !endedAt.isAfter(endedBefore)
        && (state != LeaseState.DONE || isOver(now));
  }

  LeaseInfo toInfo(Instant now) {
    Duration left = isOver(now) ? Duration.ZERO : Duration.between(now, expiresAt);
    return new LeaseSnapshot(key, state, holder, token, attempt, acquiredAt, left, endedAt, detail);
  }
}
