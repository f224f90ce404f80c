package dev.holdfast.bench.peers;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Times one drain: from the start of the first job until all are finished in the tables. */
public final class FinishLine {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final int expected;
  private final AtomicInteger ran = new AtomicInteger();
  private final CountDownLatch allRan = new CountDownLatch(1);
  private volatile Instant firstRanAt = Instant.EPOCH;

  public FinishLine(int expected) {
    this.expected = expected;
  }

  /** Counts one job. Called by every no-op job. */
  public void jobRan() {
    int crossed = ran.incrementAndGet();
    if (crossed == 1) {
      firstRanAt = Instant.now();
    }
    if (crossed == expected) {
      allRan.countDown();
    }
  }

  /**
   * Waits until all jobs are finished.
   *
   * @param unfinished a query that returns whether there is a job that is not recorded as finished;
   *     executed only after every job ran, so that it does not slow the library down
   */
  public Lap await(Tables tables, String unfinished) {
    try {
      awaitRuns();
      tables.awaitNo(unfinished, PATIENCE);
      return new Lap(firstRanAt, Instant.now());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + progress(), stop);
    }
  }

  private void awaitRuns() throws InterruptedException {
    int before = -1;
    while (!allRan.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      int now = ran.get();
      if (now == before) {
        throw new IllegalStateException("No job ran for " + PATIENCE + " after " + progress());
      }
      before = now;
    }
  }

  private String progress() {
    return ran.get() + " of " + expected + " jobs had run";
  }
}
