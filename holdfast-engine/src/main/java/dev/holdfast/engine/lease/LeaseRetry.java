package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a request when its reply was lost: for requests that recognise their own repeats. */
final class LeaseRetry {
  private static final Logger log = LoggerFactory.getLogger(LeaseRetry.class);
  private static final int TRIES = 3;

  private LeaseRetry() {}

  /**
   * Makes a request up to three times, unless the database rejects it.
   *
   * @param what the operation, for log lines
   */
  static <T> T ask(String what, Supplier<T> request) {
    for (int tries = 1; ; tries++) {
      try {
        return request.get();
      } catch (StoreException failure) {
        if (failure.outcome() == Outcome.REFUSED || tries == TRIES) {
          throw failure;
        }
        log.info("Failed to {}, retrying: {}", what, failure.getMessage());
      }
    }
  }
}
