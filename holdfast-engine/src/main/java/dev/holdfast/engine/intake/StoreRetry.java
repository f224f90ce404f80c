package dev.holdfast.engine.intake;

import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a call to a store when its reply was lost. */
public final class StoreRetry {
  private static final Logger log = LoggerFactory.getLogger(StoreRetry.class);
  private static final int TRIES = 3;

  private StoreRetry() {}

  /**
   * Makes a call up to three times. Only for calls that change nothing more if an earlier one was
   * carried out.
   *
   * @param what the operation, for log lines
   * @param question the call; receives the number of earlier tries
   */
  public static <T> T ask(String what, IntFunction<T> question) {
    for (int before = 0; ; before++) {
      try {
        return question.apply(before);
      } catch (StoreException failure) {
        if (failure.outcome() == StoreException.Outcome.REFUSED
            || failure instanceof KeyLockedException
            || before == TRIES - 1) {
          throw failure;
        }
        log.info("Failed to {}, retrying: {}", what, failure.getMessage());
      }
    }
  }
}
