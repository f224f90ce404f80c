package dev.holdfast.bench.peers;

import java.time.Duration;
import java.time.Instant;

/**
 * One drain of waiting jobs.
 *
 * @param firstStarted when the first job started
 * @param allFinished when all jobs were finished in the library's tables
 */
public record Lap(Instant firstStarted, Instant allFinished) {

  /** Returns the jobs per second, without the start of the workers and the first fetch. */
  public double rate(int jobs) {
    return jobs / (Duration.between(firstStarted, allFinished).toNanos() / 1e9);
  }
}
