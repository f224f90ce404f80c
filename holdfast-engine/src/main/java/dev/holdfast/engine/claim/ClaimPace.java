package dev.holdfast.engine.claim;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how many slots of a lane become free while a claim is under way: the rate at which its
 * attempts have ended since the last claim, times the duration of a claim. Long jobs free no slot
 * in that time, so for them the estimate is 0 and nothing is claimed early.
 */
final class ClaimPace {
  /** For slower claims, jobs would wait too long in this node. */
  private static final Duration LONGEST_CALL = Duration.ofMillis(20);

  private @Nullable Moment lastLook;
  private long lastEnded;
  private double callNanos;

  /**
   * Returns how many slots become free during two claims. One is the claim that is about to be
   * sent, the other the one after it, which is sent when half of these slots have become free. 0 if
   * they are too few for a claim: claiming for single ones would make tiny batches.
   *
   * @param ended how many attempts of the lane have ended since the node started
   * @param enough how many jobs are worth a claim
   */
  int soon(Moment now, long ended, int enough) {
    Moment before = lastLook;
    long more = ended - lastEnded;
    lastLook = now;
    lastEnded = ended;
    if (before == null) {
      return 0;
    }
    long elapsed = before.until(now).toNanos();
    if (elapsed <= 0 || more <= 0) {
      return 0;
    }
    double soon = 2 * callNanos * more / elapsed;
    return soon < enough ? 0 : (int) Math.min(soon, Integer.MAX_VALUE);
  }

  /** Notes how long a claim took that returned jobs. */
  void took(Duration call) {
    double latest = Math.min(call.toNanos(), LONGEST_CALL.toNanos());
    callNanos = callNanos == 0 ? latest : (callNanos * 7 + latest) / 8;
  }
}
