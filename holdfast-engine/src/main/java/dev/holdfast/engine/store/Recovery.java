package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Taking jobs back whose holder is gone. Nobody needs to be alone in doing so. */
public interface Recovery {

  /**
   * Whose jobs are taken back.
   *
   * @param silentAt null for an incarnation that is dead in the books; otherwise the beat at which
   *     one that may still live fell silent, and only jobs that have not begun are taken
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
   * Which jobs the caller takes back.
   *
   * @param claimed whether those that have not begun
   * @param running whether those that have
   * @param stacks of which stacks, besides those of none; null for all
   */
  record Scope(boolean claimed, boolean running, @Nullable Set<String> stacks) {
    public static final Scope ALL = new Scope(true, true, null);
  }

  /**
   * A job in the hands of somebody who is gone.
   *
   * @param claimNo the claim call that its holder had it by
   * @param stack the fleet it belongs to; null for any
   * @param started whether its code may have run
   * @param attempt how many attempts were begun and count
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

  /** What is to become of an orphan. */
  sealed interface RecoveryAction {
    ClaimId claim();

    /** It waits where it waited before, with nothing spent. */
    record NotStarted(ClaimId claim) implements RecoveryAction {}

    /** It waits where it waited before. Its attempt does not count, but the fencing does. */
    record AfterFencing(ClaimId claim) implements RecoveryAction {}

    /**
     * Its attempt does not count, but the crash does: again after a delay.
     *
     * @param suspicion how it is claimed from now on
     */
    record AfterCrash(ClaimId claim, Duration delay, Suspicion suspicion, Finish.Failure failure)
        implements RecoveryAction {}

    /** It goes to the dead letter. */
    record DeadLetter(ClaimId claim, Finish.Failure failure) implements RecoveryAction {}
  }

  /** What became of it. */
  enum Result {
    DONE,
    /** Somebody had asked to cancel it, so it ended CANCELLED instead of waiting again. */
    CANCELLED_INSTEAD,
    /** It is not in that holder's hands any more, or is being taken out of them just now. */
    NOT_HELD
  }

  /** Find up to so many jobs in the hands of a holder who is gone, the first ones. */
  default List<Orphan> orphans(Holder holder, Scope scope, int limit) {
    return orphans(holder, scope, null, limit);
  }

  /**
   * Find up to so many jobs in the hands of a holder who is gone, in the order in which it claimed
   * them.
   *
   * @param after the one to go on behind, so that those left alone do not stand in the way; null to
   *     begin with the first
   */
  List<Orphan> orphans(Holder holder, Scope scope, @Nullable Orphan after, int limit);

  /**
   * Take jobs out of the hands of a holder who is gone. Each is guarded by its token and by the
   * holder being gone: of several who try, one succeeds.
   *
   * @return the answers, in order
   */
  List<Result> recover(Holder holder, List<? extends RecoveryAction> rulings);

  /**
   * End the database sessions of an incarnation that is dead in the books, unless a live one shares
   * them: a process that was stopped in the middle of a transaction would hold its locks until it
   * goes on.
   *
   * @return how many were ended
   */
  int endSessions(UUID incarnation);
}
