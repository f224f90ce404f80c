package dev.holdfast.engine.intake;

import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a store again when an answer was lost. */
public final class StoreRetry {
  private static final Logger log = LoggerFactory.getLogger(StoreRetry.class);
  private static final int TRIES = 3;

  private StoreRetry() {}

  /**
   * Ask up to three times. Only for what changes nothing more when it was heard the first time.
   *
   * @param what is done, for people
   * @param question given how often it was asked before
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
        log.info("To {} is tried once more: {}", what, failure.getMessage());
      }
    }
  }
}
