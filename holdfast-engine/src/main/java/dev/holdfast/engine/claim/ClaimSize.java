package dev.holdfast.engine.claim;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Portions;
import java.util.List;

/**
 * How many jobs one claim call asks for, so that their payloads fit into one result. How large
 * payloads are is only known afterwards: so it starts small, doubles with each full claim, and goes
 * by the average of recent ones. To sum sizes in the statement instead would make it return fewer
 * jobs than it was asked for, which means that the queue is empty.
 */
final class ClaimSize {
  private static final int FIRST = 32;

  private final int largest;
  private int most;
  private double average;

  /**
   * @param largest how many jobs to claim at most, however small
   */
  ClaimSize(int largest) {
    this.largest = largest;
    this.most = Math.min(FIRST, largest);
  }

  /** How many jobs the next call may ask for. */
  int most() {
    return most;
  }

  /** Learn from what a call returned. */
  void saw(List<ClaimedJob> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    double latest = jobs.stream().mapToLong(ClaimSize::size).average().orElse(0);
    // Up at once and down slowly: too few jobs cost a round trip, too many cost memory.
    average = Math.max(latest, (average * 3 + latest) / 4);
    long fitting = average < 1 ? largest : (long) (Portions.LARGEST / average);
    most = Math.clamp(fitting, 1, Math.min(largest, most * 2));
  }

  private static long size(ClaimedJob job) {
    String payload = job.payload();
    return payload == null ? 0 : payload.length();
  }
}
