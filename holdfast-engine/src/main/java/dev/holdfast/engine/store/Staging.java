package dev.holdfast.engine.store;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Jobs whose time has come, or has passed. */
public interface Staging {

  /**
   * What one call did.
   *
   * @param readied how many jobs became READY, by queue
   * @param expired how many ended EXPIRED, because they had not begun by their start-by time
   * @param more whether the limit was reached, so that another call is due at once
   * @param next how long until the next job is due or expires; empty where there is none
   */
  record Report(Map<String, Integer> readied, int expired, boolean more, Optional<Duration> next) {}

  /** Move due jobs from SCHEDULED to READY and overdue ones to EXPIRED, at most so many of each. */
  Report stage(int limit);
}
