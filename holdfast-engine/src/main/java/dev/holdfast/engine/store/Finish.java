package dev.holdfast.engine.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended, as its holder reports it. */
public sealed interface Finish {

  ClaimId claim();

  /**
   * It succeeded.
   *
   * @param result the encoded result, null for none
   * @param keepResult how long to keep it; null for as long as history is kept
   */
  record Succeeded(ClaimId claim, @Nullable String result, @Nullable Duration keepResult)
      implements Finish {}

  /** It failed and is to be tried again after a delay. */
  record RetryIn(ClaimId claim, Duration delay, Failure failure) implements Finish {}

  /** It failed for good. */
  record Dead(ClaimId claim, Failure failure) implements Finish {}

  /**
   * It is not possible yet: again after a delay, and this attempt did not count.
   *
   * @param ran whether its code has run: a job that never started keeps the time by which it must
   *     start
   */
  record Later(ClaimId claim, Duration delay, boolean ran) implements Finish {
    /** The code itself asked for that. */
    public Later(ClaimId held, Duration delay) {
      this(held, delay, true);
    }
  }

  /** It was stopped because somebody asked for that. */
  record Cancelled(ClaimId claim) implements Finish {}

  /**
   * What went wrong, without the times, which the store adds.
   *
   * @param node the readable id of the node it went wrong on
   */
  record Failure(
      int attempt,
      String code,
      @Nullable String type,
      String message,
      @Nullable String stack,
      String node) {}
}
