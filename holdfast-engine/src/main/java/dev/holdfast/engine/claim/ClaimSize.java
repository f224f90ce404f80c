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
public final class ClaimSize {
  private static final int FIRST = 32;

  private final int largest;
  private int most;
  private double average;

  /**
   * @param largest the most jobs to claim with one call, however small they are
   */
  ClaimSize(int largest) {
    this(FIRST, largest);
  }

  /**
   * Starts at another size.
   *
   * @param first the most jobs to claim before the size of any payload is known
   * @param largest the most jobs to claim with one call, however small they are
   */
  public ClaimSize(int first, int largest) {
    this.largest = largest;
    this.most = Math.min(first, largest);
  }

  /** Returns how many jobs the next call may request. */
  public int most() {
    return most;
  }

  /** Adapts to the jobs that a call returned. */
  public void saw(List<ClaimedJob> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    double latest = jobs.stream().mapToLong(ClaimSize::size).average().orElse(0);
    // Up immediately and down slowly: too few jobs cost a round trip, too many cost memory.
    average = Math.max(latest, (average * 3 + latest) / 4);
    long fitting = average < 1 ? largest : (long) (Portions.LARGEST / average);
    most = Math.clamp(fitting, 1, Math.min(largest, most * 2));
  }

  /** Returns the characters of the payload of a job. */
  public static long size(ClaimedJob job) {
    String payload = job.payload();
    return payload == null ? 0 : payload.length();
  }
}
