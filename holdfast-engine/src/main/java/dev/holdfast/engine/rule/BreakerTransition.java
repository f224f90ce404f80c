package dev.holdfast.engine.rule;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.engine.store.TaskStore.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a breaker, and its transitions.
 *
 * @param failures the times of recent failures; no more than it takes to open
 * @param openUntil the time from which one job is let through; null while it is closed
 * @param pause how long it stays open when it opens again
 * @param probe the claim that was let through
 */
public record BreakerTransition(
    BreakerState state,
    List<Instant> failures,
    @Nullable Instant openUntil,
    Duration pause,
    @Nullable ClaimId probe) {

  /** A closed breaker without failures. */
  public static final BreakerTransition CLOSED =
      new BreakerTransition(BreakerState.CLOSED, List.of(), null, Duration.ZERO, null);

  /**
   * The minimum time, from the claim on, that a probe has to end before another job is let through.
   */
  private static final Duration VERDICT = Duration.ofSeconds(5);

  public BreakerTransition {
    failures = List.copyOf(failures);
  }

  public boolean isClosed() {
    return state == BreakerState.CLOSED;
  }

  /** Returns the state after these attempts. */
  public BreakerTransition after(Attempts attempts, Instant now) {
    return switch (state) {
      case CLOSED -> count(attempts.failed().size(), attempts.breaker(), now);
      case OPEN -> this; // Attempts that started before it opened say nothing new.
      case HALF_OPEN -> judge(attempts, now);
    };
  }

  private BreakerTransition count(int failed, CircuitBreaker breaker, Instant now) {
    Instant oldest = now.minus(breaker.window());
    List<Instant> recent = new ArrayList<>(failures);
    recent.removeIf(time -> !time.isAfter(oldest));
    for (int i = 0; i < failed; i++) {
      recent.add(now);
    }
    return recent.size() >= breaker.failures()
        ? open(breaker.pause(), now)
        : new BreakerTransition(BreakerState.CLOSED, recent, null, Duration.ZERO, null);
  }

  private BreakerTransition judge(Attempts attempts, Instant now) {
    if (probe == null || attempts.failed().contains(probe)) {
      return open(pause, now);
    }
    return attempts.succeeded().contains(probe) ? CLOSED : this;
  }

  private static BreakerTransition open(Duration pause, Instant now) {
    return new BreakerTransition(BreakerState.OPEN, List.of(), now.plus(pause), pause, null);
  }

  /** Returns how the state changed from an earlier one. */
  public Turn turnSince(BreakerTransition before) {
    if (state == BreakerState.OPEN && before.state != BreakerState.OPEN) {
      return Turn.OPENED;
    }
    return isClosed() && !before.isClosed() ? Turn.CLOSED : Turn.NONE;
  }

  /**
   * Returns whether one job may be let through as a probe. The open time must be over; and a
   * previous probe must no longer be held by its node, and have ended without a success or failure:
   * it was released, cancelled, or its node died.
   */
  public boolean mayProbe(Instant now, Predicate<ClaimId> isHeld) {
    return !isClosed()
        && (openUntil == null || !openUntil.isAfter(now))
        && (probe == null || !isHeld.test(probe));
  }

  /**
   * Returns the state after this claim was let through. No other job is let through for the length
   * of the pause, or at least a few seconds, so that the node that runs the probe has time to
   * report how it ended.
   */
  public BreakerTransition probing(ClaimId claim, Instant now) {
    Duration wait = pause.compareTo(VERDICT) < 0 ? VERDICT : pause;
    return new BreakerTransition(BreakerState.HALF_OPEN, List.of(), now.plus(wait), pause, claim);
  }

  /** Returns how much longer no job is let through; null if the breaker is closed. */
  public @Nullable Duration shut(Instant now) {
    if (isClosed()) {
      return null;
    }
    Duration left = openUntil == null ? Duration.ZERO : Duration.between(now, openUntil);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
