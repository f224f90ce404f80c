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
 * One job that this node holds, from its claim until the store has confirmed how it ended.
 *
 * <p>All changes are made under a lock of this job, so that an interrupt can never reach a thread
 * that has moved on to another job.
 */
public final class HeldJob {
  private static final Logger log = LoggerFactory.getLogger(HeldJob.class);

  private final ClaimedJob job;
  private final long claimNo;
  private final JobPolicy policy;
  private final Tenure tenure;
  private final boolean probe;
  private final AttemptNotes notes;
  private @Nullable Thread runner;
  private volatile @Nullable Lane lane;
  private volatile @Nullable Moment slotSince;
  private @Nullable Lane keptSlot;
  private boolean lentSlot;
  private volatile @Nullable StopReason stopReason;
  private volatile Moment lastSign = Moment.NEVER;
  private boolean ran;
  private boolean returned;
  private @Nullable StopReason stoppedBy;
  private boolean ended;
  private boolean slotFreed;
  private volatile boolean unreported;

  /**
   * Creates a job that a claim call returned to the incarnation of this tenure.
   *
   * @param claimNo the number of the claim call
   */
  public HeldJob(ClaimedJob job, long claimNo, JobPolicy policy, Tenure tenure) {
    this(job, claimNo, policy, tenure, false);
  }

  /**
   * Creates a job that a claim call returned to the incarnation of this tenure.
   *
   * @param claimNo the number of the claim call
   * @param probe whether it was claimed to find out if the breaker of its task can be closed
   */
  public HeldJob(ClaimedJob job, long claimNo, JobPolicy policy, Tenure tenure, boolean probe) {
    this.tenure = tenure;
    this.probe = probe;
    this.job = job;
    this.claimNo = claimNo;
    this.policy = policy;
    this.notes = new AttemptNotes(job.notes());
  }

  /** Returns what its handler reports while it runs. */
  public AttemptNotes notes() {
    return notes;
  }

  public ClaimedJob job() {
    return job;
  }

  public long claimNo() {
    return claimNo;
  }

  /** Returns the tenure of the incarnation that holds it. */
  public Tenure tenure() {
    return tenure;
  }

  /** Returns whether it is a crash suspect. */
  public boolean isSuspect() {
    return job.suspicion() != Suspicion.NONE;
  }

  /** Returns whether it was claimed to find out if the breaker of its task can be closed. */
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
   * Notes that the current thread is about to run the handler.
   *
   * @return false if the attempt was stopped before it started, or the node may not start anything
   */
  public synchronized boolean start() {
    if (stopReason != null || ended || tenure.isOver() || tenure.isInDoubt()) {
      return false;
    }
    runner = Thread.currentThread();
    ran = true;
    return true;
  }

  /** Sets the lane whose slot its attempt occupies. */
  public void occupies(Lane slotOf) {
    this.lane = slotOf;
  }

  /**
   * Notes when its slot was taken for a job from the queue. A job that follows another one in the
   * same slot has the time of the first.
   */
  public void hasSlotSince(Moment since) {
    if (slotSince == null) {
      slotSince = since;
    }
  }

  /** Returns when its slot was taken for a job from the queue; null before its attempt starts. */
  public @Nullable Moment slotSince() {
    return slotSince;
  }

  /**
   * Keeps the slot of an attempt that has ended, for a job that follows this one. It is released
   * when the outcome is recorded, unless that job has taken it. Until then the lane may lend it.
   */
  public void keepSlot() {
    Lane slotOf = lane;
    if (slotOf != null && freeSlot()) {
      boolean lent = slotOf.lend();
      synchronized (this) {
        keptSlot = slotOf;
        lentSlot = lent;
      }
    }
  }

  /** Returns the lane of the slot that it has kept; null if it has kept none. */
  public synchronized @Nullable Lane keptSlot() {
    return keptSlot;
  }

  /**
   * Passes on the slot that it has kept: the caller releases it.
   *
   * @return false if the slot was lent, so that the caller has to take another one
   */
  public boolean passSlotOn() {
    Lane kept;
    boolean lent;
    synchronized (this) {
      kept = keptSlot;
      lent = lentSlot;
      keptSlot = null;
    }
    if (kept != null && lent) {
      kept.endLoan();
    }
    return kept != null && !lent;
  }

  /** Releases the slot that it has kept, if any. */
  public void releaseKeptSlot() {
    Lane slotOf = keptSlot();
    if (slotOf != null && passSlotOn()) {
      slotOf.free();
    }
  }

  /** Returns the lane whose slot its attempt occupies; null before it runs. */
  public @Nullable Lane lane() {
    return lane;
  }

  /** Returns whether its code has run, or may have. */
  public synchronized boolean hasRun() {
    return ran;
  }

  /** Notes that the attempt made progress at this time. */
  public void sign(Moment now) {
    lastSign = now;
  }

  /** Returns when the attempt last showed progress. */
  public Moment lastSign() {
    return lastSign;
  }

  /**
   * Notes that the handler has returned: no interrupt is sent any more, and a pending one is
   * cleared. A later request to stop has no effect on this attempt.
   */
  public synchronized void handlerReturned() {
    if (!returned) {
      returned = true;
      stoppedBy = stopReason;
    }
    runner = null;
    Thread.interrupted();
  }

  /** Returns why the attempt was told to stop before its handler returned; null if it was not. */
  public synchronized @Nullable StopReason stoppedBy() {
    return returned ? stoppedBy : stopReason;
  }

  /**
   * Marks the outcome of the attempt as decided.
   *
   * @return true for the first caller; later callers must not report another outcome
   */
  public synchronized boolean settle() {
    if (ended) {
      return false;
    }
    ended = true;
    return true;
  }

  /**
   * Decides the outcome of an attempt whose code has not started, so that it never starts.
   *
   * @return false if its code has started or its outcome is decided; then another thread reports it
   */
  public synchronized boolean withdraw() {
    // After the code has returned no thread runs it, but its outcome still counts.
    return !ran && settle();
  }

  /**
   * Notes that its slot is released.
   *
   * @return false if it already was
   */
  public synchronized boolean freeSlot() {
    if (slotFreed) {
      return false;
    }
    slotFreed = true;
    return true;
  }

  /**
   * Notes that this node cannot report the outcome, because that failed: the next heartbeat returns
   * the job.
   */
  public void markUnreported() {
    unreported = true;
  }

  /** Returns whether a heartbeat has to return the job, because nothing else on this node does. */
  public boolean isUnreported() {
    return unreported;
  }

  /**
   * Abandons the attempt: it is interrupted, and its outcome is ignored.
   *
   * @return whether its code still runs
   */
  synchronized boolean abandon() {
    stop(StopReason.CLAIM_LOST);
    ended = true;
    return isRunning();
  }

  /** Returns whether user code runs for it, even if the attempt was abandoned. */
  public synchronized boolean isRunning() {
    return runner != null;
  }

  /** Returns whether its outcome is decided, though perhaps not yet confirmed by the store. */
  public synchronized boolean hasEnded() {
    return ended;
  }

  /**
   * Tells the attempt to stop. The first reason remains, except that a lost claim overrides any
   * other.
   */
  public synchronized void stop(StopReason reason) {
    if (stopReason == null || reason == StopReason.CLAIM_LOST) {
      stopReason = reason;
    }
    if (runner != null) {
      interrupt(runner);
    }
  }

  /**
   * Interrupts the thread. Threads of a custom executor, and channels that a handler waits for, may
   * throw.
   */
  private void interrupt(Thread thread) {
    try {
      thread.interrupt();
    } catch (RuntimeException | Error broken) {
      log.warn(
          "Interrupting job {} of task {} failed; it continues until it ends. Other jobs are not"
              + " affected",
          job.id(),
          job.task(),
          broken);
    }
  }

  public @Nullable StopReason stopReason() {
    return stopReason;
  }
}
