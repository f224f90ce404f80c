package dev.holdfast.engine.store;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Moves jobs whose due time has come, or whose start-by time has passed. */
public interface Staging {

  /**
   * The result of one call.
   *
   * @param readied how many jobs became READY, by queue
   * @param expired how many ended EXPIRED, because they had not started by their start-by time
   * @param more whether the limit was reached, so that another call is due at once
   * @param next how long until the next job is due or expires; empty if there is none
   */
  record Report(Map<String, Integer> readied, int expired, boolean more, Optional<Duration> next) {}

  /**
   * Moves due jobs from SCHEDULED and WAITING to READY and overdue ones to EXPIRED, at most the
   * given number of each.
   */
  Report stage(int limit);
}
