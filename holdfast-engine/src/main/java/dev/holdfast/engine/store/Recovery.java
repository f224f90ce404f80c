package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Recovers jobs whose holder is gone. Several nodes may do so at the same time. */
public interface Recovery {

  /**
   * The incarnation whose jobs are recovered.
   *
   * @param silentAt null for an incarnation that is recorded as dead; otherwise the last heartbeat
   *     of a silent incarnation that may still be alive, of which only jobs that have not started
   *     are recovered
   */
  record Holder(UUID incarnation, @Nullable Long silentAt) {
    public static Holder dead(UUID incarnation) {
      return new Holder(incarnation, null);
    }

    public static Holder silent(UUID incarnation, long beat) {
      return new Holder(incarnation, beat);
    }
  }

  /**
   * Which jobs the caller recovers.
   *
   * @param claimed whether to recover jobs that have not started
   * @param running whether to recover jobs that have started
   * @param stacks the stacks whose jobs to recover, in addition to jobs without a stack; null for
   *     all
   */
  record Scope(boolean claimed, boolean running, @Nullable Set<String> stacks) {
    public static final Scope ALL = new Scope(true, true, null);
  }

  /**
   * A job whose holder is gone.
   *
   * @param claimNo the claim call by which its holder claimed it
   * @param stack the stack it belongs to; null for any
   * @param started whether its code may have run
   * @param attempt how many attempts were started and count
   * @param crashes how many times its node died while it ran
   * @param fencings how many times its node fenced itself while it ran
   */
  record Orphan(
      ClaimId claim,
      long claimNo,
      String task,
      String queue,
      @Nullable String stack,
      boolean started,
      int attempt,
      int priority,
      int crashes,
      int fencings,
      @Nullable String policy)
      implements JobRef {

    @Override
    public JobId id() {
      return claim.id();
    }
  }

  /** What to do with an orphan. */
  sealed interface RecoveryAction {
    ClaimId claim();

    /** The job returns to its old rank, without using an attempt. */
    record NotStarted(ClaimId claim) implements RecoveryAction {}

    /** The job returns to its old rank. Its attempt does not count, but the fencing does. */
    record AfterFencing(ClaimId claim) implements RecoveryAction {}

    /**
     * The job is tried again after a delay. Its attempt does not count, but the crash does.
     *
     * @param suspicion how the job is claimed from now on
     */
    record AfterCrash(ClaimId claim, Duration delay, Suspicion suspicion, Finish.Failure failure)
        implements RecoveryAction {}

    /** The job is dead-lettered. */
    record DeadLetter(ClaimId claim, Finish.Failure failure) implements RecoveryAction {}
  }

  /** The result of a recovery action. */
  enum Result {
    DONE,
    /**
     * The cancellation of the job was requested, so it ended CANCELLED instead of waiting again.
     */
    CANCELLED_INSTEAD,
    /** The given incarnation no longer holds the job, or another node is recovering it now. */
    NOT_HELD
  }

  /** Finds the first jobs held by an incarnation that is gone, at most the given number. */
  default List<Orphan> orphans(Holder holder, Scope scope, int limit) {
    return orphans(holder, scope, null, limit);
  }

  /**
   * Finds jobs held by an incarnation that is gone, at most the given number, in the order in which
   * it claimed them.
   *
   * @param after the orphan to continue after, so that skipped ones do not block the rest; null to
   *     start with the first
   */
  List<Orphan> orphans(Holder holder, Scope scope, @Nullable Orphan after, int limit);

  /**
   * Carries out recovery actions on jobs whose holder is gone. Each is guarded by its token and by
   * the holder being gone: if several nodes try, one succeeds.
   *
   * @return the results, in order
   */
  List<Result> recover(Holder holder, List<? extends RecoveryAction> actions);

  /**
   * Terminates the database sessions of an incarnation that is recorded as dead, unless a live one
   * shares them: a process that was suspended in the middle of a transaction would keep its locks
   * until it continues.
   *
   * @return how many sessions were terminated
   */
  int endSessions(UUID incarnation);
}
