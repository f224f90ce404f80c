package dev.holdfast.engine.claim;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Portions;
import java.util.List;

/**
 * Decides how many jobs one claim call requests, so that their payloads fit into one result. The
 * size of payloads is only known afterwards, so the number starts small, doubles with each full
 * claim, and follows the average size of recent payloads. A limit on the sum of sizes in the
 * statement would make it return fewer jobs than requested, which the claimer takes to mean that
 * the queue is empty.
 */
final class ClaimSize {
  private static final int FIRST = 32;

  private final int largest;
  private int most;
  private double average;

  /**
   * @param largest the most jobs to claim with one call, however small they are
   */
  ClaimSize(int largest) {
    this.largest = largest;
    this.most = Math.min(FIRST, largest);
  }

  /** Returns how many jobs the next call may request. */
  int most() {
    return most;
  }

  /** Adapts to the jobs that a call returned. */
  void saw(List<ClaimedJob> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    double latest = jobs.stream().mapToLong(ClaimSize::size).average().orElse(0);
    // Up immediately and down slowly: too few jobs cost a round trip, too many cost memory.
    average = Math.max(latest, (average * 3 + latest) / 4);
    long fitting = average < 1 ? largest : (long) (Portions.LARGEST / average);
    most = Math.clamp(fitting, 1, Math.min(largest, most * 2));
  }

  private static long size(ClaimedJob job) {
    String payload = job.payload();
    return payload == null ? 0 : payload.length();
  }
}
