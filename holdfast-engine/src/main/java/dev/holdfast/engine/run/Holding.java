package dev.holdfast.engine.run;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Held;
import org.jspecify.annotations.Nullable;

/**
 * One job in this node's hands, from its claim until the store has confirmed how it ended.
 *
 * <p>All changes are made under its own lock, so that an interrupt can never reach a thread that
 * has gone on to another job.
 */
public final class Holding {
  private final ClaimedJob job;
  private final long claimNo;
  private final JobPolicy policy;
  private @Nullable Thread runner;
  private @Nullable StopReason stopReason;
  private boolean ended;

  /** A job that the claim call of this number brought. */
  public Holding(ClaimedJob job, long claimNo, JobPolicy policy) {
    this.job = job;
    this.claimNo = claimNo;
    this.policy = policy;
  }

  public ClaimedJob job() {
    return job;
  }

  public long claimNo() {
    return claimNo;
  }

  public JobPolicy policy() {
    return policy;
  }

  public Held held() {
    return job.held();
  }

  /**
   * Note that the current thread is about to run the handler.
   *
   * @return false if the attempt was stopped before it began
   */
  synchronized boolean begin() {
    if (stopReason != null || ended) {
      return false;
    }
    runner = Thread.currentThread();
    return true;
  }

  /**
   * Note that the handler has returned: no interrupt will come any more, and one that came is
   * spent.
   */
  synchronized void handlerReturned() {
    runner = null;
    Thread.interrupted();
  }

  /**
   * Note that how the attempt ended is settled, and by whom.
   *
   * @return true for the first to settle it; anyone later must not report another end
   */
  synchronized boolean settle() {
    if (ended) {
      return false;
    }
    ended = true;
    return true;
  }

  /** Whether how it ended is settled, though perhaps not yet confirmed by the store. */
  public synchronized boolean hasEnded() {
    return ended;
  }

  /** Tell the attempt to stop. The first reason stands, except that a lost claim overrules all. */
  public synchronized void stop(StopReason reason) {
    if (stopReason == null || reason == StopReason.CLAIM_LOST) {
      stopReason = reason;
    }
    if (runner != null) {
      runner.interrupt();
    }
  }

  public synchronized @Nullable StopReason stopReason() {
    return stopReason;
  }
}
