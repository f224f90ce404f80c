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
 * A breaker as it is recorded, and what becomes of it.
 *
 * @param failures when attempts failed lately; no more than it takes to open
 * @param openUntil from when on a job is let through; null while it is closed
 * @param pause for how long it opens again
 * @param probe the claim that was let through
 */
public record BreakerTransition(
    BreakerState state,
    List<Instant> failures,
    @Nullable Instant openUntil,
    Duration pause,
    @Nullable ClaimId probe) {

  /** Lets everything through and knows of no failure. */
  public static final BreakerTransition CLOSED =
      new BreakerTransition(BreakerState.CLOSED, List.of(), null, Duration.ZERO, null);

  /** How long a verdict may take at least, from the claim on, before another job is let through. */
  private static final Duration VERDICT = Duration.ofSeconds(5);

  public BreakerTransition {
    failures = List.copyOf(failures);
  }

  public boolean isClosed() {
    return state == BreakerState.CLOSED;
  }

  /** What it is after these attempts. */
  public BreakerTransition after(Attempts attempts, Instant now) {
    return switch (state) {
      case CLOSED -> count(attempts.failed().size(), attempts.breaker(), now);
      case OPEN -> this; // Attempts that began before it opened say nothing new.
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

  /** How this came from an earlier one. */
  public Turn turnSince(BreakerTransition before) {
    if (state == BreakerState.OPEN && before.state != BreakerState.OPEN) {
      return Turn.OPENED;
    }
    return isClosed() && !before.isClosed() ? Turn.CLOSED : Turn.NONE;
  }

  /**
   * Whether one job may be let through, to see. Its time must be over; and a job that was let
   * through before must be out of the hands of its node, having ended without a verdict: it was
   * handed back, cancelled, or its node died.
   */
  public boolean mayProbe(Instant now, Predicate<ClaimId> isHeld) {
    return !isClosed()
        && (openUntil == null || !openUntil.isAfter(now))
        && (probe == null || !isHeld.test(probe));
  }

  /**
   * What it is once this claim was let through. Nobody else is for as long as it would stay open,
   * or some seconds, so that whoever ran it has time to say how it ended.
   */
  public BreakerTransition probing(ClaimId claim, Instant now) {
    Duration wait = pause.compareTo(VERDICT) < 0 ? VERDICT : pause;
    return new BreakerTransition(BreakerState.HALF_OPEN, List.of(), now.plus(wait), pause, claim);
  }

  /** How much longer nothing is let through; null if everything is. */
  public @Nullable Duration shut(Instant now) {
    if (isClosed()) {
      return null;
    }
    Duration left = openUntil == null ? Duration.ZERO : Duration.between(now, openUntil);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
