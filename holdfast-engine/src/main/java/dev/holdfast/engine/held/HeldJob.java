package dev.holdfast.engine.held;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Moment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job in this node's hands, from its claim until the store has confirmed how it ended.
 *
 * <p>All changes are made under its own lock, so that an interrupt can never reach a thread that
 * has gone on to another job.
 */
public final class HeldJob {
  private static final Logger log = LoggerFactory.getLogger(HeldJob.class);

  private final ClaimedJob job;
  private final long claimNo;
  private final JobPolicy policy;
  private final Tenure tenure;
  private final boolean probe;
  private @Nullable Thread runner;
  private volatile @Nullable Lane lane;
  private volatile @Nullable StopReason stopReason;
  private volatile Moment lastSign = Moment.NEVER;
  private boolean ran;
  private boolean returned;
  private @Nullable StopReason stoppedBy;
  private boolean ended;
  private boolean slotFreed;
  private volatile boolean unreported;

  /** A job that the claim call of this number brought to the incarnation of this tenure. */
  public HeldJob(ClaimedJob job, long claimNo, JobPolicy policy, Tenure tenure) {
    this(job, claimNo, policy, tenure, false);
  }

  /**
   * A job that the claim call of this number brought to the incarnation of this tenure.
   *
   * @param probe whether it was claimed to see if the breaker of its task can be closed
   */
  public HeldJob(ClaimedJob job, long claimNo, JobPolicy policy, Tenure tenure, boolean probe) {
    this.tenure = tenure;
    this.probe = probe;
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

  /** In whose name it is held. */
  public Tenure tenure() {
    return tenure;
  }

  /** Whether it is a crash suspect. */
  public boolean isSuspect() {
    return job.suspicion() != Suspicion.NONE;
  }

  /** Whether it was claimed to see if the breaker of its task can be closed. */
  public boolean isProbe() {
    return probe;
  }

  public JobPolicy policy() {
    return policy;
  }

  public ClaimId claim() {
    return job.claim();
  }

  /**
   * Note that the current thread is about to run the handler.
   *
   * @return false if the attempt was stopped before it began, or the node may not begin anything
   */
  public synchronized boolean begin() {
    if (stopReason != null || ended || tenure.isOver() || tenure.isInDoubt()) {
      return false;
    }
    runner = Thread.currentThread();
    ran = true;
    return true;
  }

  /** Notes whose slot its attempt occupies. */
  public void occupies(Lane slotOf) {
    this.lane = slotOf;
  }

  /** The lane whose slot its attempt occupies; null before it is run. */
  public @Nullable Lane lane() {
    return lane;
  }

  /** Whether its code has run, or may have. */
  public synchronized boolean hasRun() {
    return ran;
  }

  /** Note that the attempt was getting on then. */
  public void sign(Moment now) {
    lastSign = now;
  }

  /** When it was last known to be getting on. */
  public Moment lastSign() {
    return lastSign;
  }

  /**
   * Note that the handler has returned: no interrupt will come any more, and one that came has
   * served its purpose. A request to stop that comes later came too late.
   */
  public synchronized void handlerReturned() {
    if (!returned) {
      returned = true;
      stoppedBy = stopReason;
    }
    runner = null;
    Thread.interrupted();
  }

  /** Why the attempt was told to stop before its handler returned; null if it was not. */
  public synchronized @Nullable StopReason stoppedBy() {
    return returned ? stoppedBy : stopReason;
  }

  /**
   * Note that how the attempt ended is settled, and by whom.
   *
   * @return true for the first to settle it; anyone later must not report another end
   */
  public synchronized boolean settle() {
    if (ended) {
      return false;
    }
    ended = true;
    return true;
  }

  /**
   * Settle an attempt whose code has not started: it never will.
   *
   * @return false if its code runs, or how it ended is settled; then somebody else reports it
   */
  public synchronized boolean withdraw() {
    return runner == null && settle();
  }

  /**
   * Note that its slot is given back.
   *
   * @return false if it was before
   */
  public synchronized boolean freeSlot() {
    if (slotFreed) {
      return false;
    }
    slotFreed = true;
    return true;
  }

  /**
   * Note that nothing here will report how it ended, since that failed: the next heartbeat gives
   * the job back.
   */
  public void markUnreported() {
    unreported = true;
  }

  /** Whether the job is to be given back by a heartbeat, since nothing else here does. */
  public boolean isUnreported() {
    return unreported;
  }

  /**
   * Give the attempt up: it is interrupted, and whatever it comes back with is void.
   *
   * @return whether its code still runs
   */
  synchronized boolean abandon() {
    stop(StopReason.CLAIM_LOST);
    ended = true;
    return isRunning();
  }

  /** Whether user code runs for it, be it given up or not. */
  public synchronized boolean isRunning() {
    return runner != null;
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
      interrupt(runner);
    }
  }

  /** Threads of a custom executor, and channels that a handler waits for, may throw. */
  private void interrupt(Thread thread) {
    try {
      thread.interrupt();
    } catch (RuntimeException | Error broken) {
      log.warn(
          "Interrupting job {} of {} failed; others are not affected",
          job.id(),
          job.task(),
          broken);
    }
  }

  public @Nullable StopReason stopReason() {
    return stopReason;
  }
}
