package dev.holdfast.engine.liveness;

import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.run.FailureReport;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Decides what becomes of a job whose holder is gone. */
final class CrashDecisions {
  private static final Duration SECOND_CRASH = Duration.ofSeconds(5);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);

  private CrashDecisions() {}

  /**
   * How the holder went.
   *
   * @param id the node
   * @param silence for how long it had been silent
   */
  record Loss(String id, Death death, Duration silence) {}

  /**
   * Who can say more about a task.
   *
   * @param own the policy that this node has for it, if any
   * @param others whether another live node has one, and recovers such jobs; asked only if needed
   */
  record Counsel(Optional<RecoveryPolicy> own, BooleanSupplier others) {}

  /** Decide; empty to leave the job to a node that knows more. */
  static Optional<RecoveryAction> rule(
      Orphan orphan, Loss loss, CrashPolicy policy, Counsel counsel) {
    if (!orphan.started()) {
      return Optional.of(new RecoveryAction.NotStarted(orphan.claim()));
    }
    if (loss.death() == Death.SELF_DECLARED) {
      return Optional.of(afterFencing(orphan, loss, policy.maxFencings()));
    }
    int crashes = orphan.crashes() + 1;
    return switch (policy.action()) {
      case FAIL -> Optional.of(bury(orphan, loss, "its task must not be run twice"));
      case RETRY -> Optional.of(retry(orphan, loss, policy, crashes));
      case ASK ->
          counsel.own().isPresent()
              ? Optional.of(ask(orphan, loss, policy, counsel.own().get()))
              : Optional.of(retry(orphan, loss, policy, crashes))
                  .filter(ruling -> !counsel.others().getAsBoolean());
    };
  }

  /**
   * A node that fenced itself did not die, but this job may be what kept it from its heartbeats.
   */
  private static RecoveryAction afterFencing(Orphan orphan, Loss loss, int maxFencings) {
    int fencings = orphan.fencings() + 1;
    return fencings < maxFencings
        ? new RecoveryAction.AfterFencing(orphan.claim())
        : new RecoveryAction.DeadLetter(
            orphan.claim(),
            FailureReport.of(
                orphan.attempt(),
                FailureCode.NODE_FENCED,
                "Node %s fenced itself while it ran this job, which was the last of %d allowed fencings: does the job stall its process?"
                    .formatted(loss.id(), fencings),
                loss.id()));
  }

  private static RecoveryAction retry(Orphan orphan, Loss loss, CrashPolicy policy, int crashes) {
    return crashes >= policy.maxCrashes()
        ? bury(orphan, loss, "it was the last of %d allowed crashes".formatted(crashes))
        : new RecoveryAction.AfterCrash(
            orphan.claim(),
            delayAfter(crashes),
            suspicionAfter(crashes, policy.maxCrashes()),
            failure(orphan, loss, ""));
  }

  private static RecoveryAction ask(
      Orphan orphan, Loss loss, CrashPolicy budget, RecoveryPolicy policy) {
    int crashes = orphan.crashes() + 1;
    Decision decision =
        policy.onCrash(
            new RecoveryPolicy.Crash(
                orphan.id(), orphan.task(), crashes, orphan.attempt(), loss.id(), loss.silence()));
    return switch (decision) {
      case Decision.RunAgain(Duration delay) ->
          new RecoveryAction.AfterCrash(
              orphan.claim(),
              delay.isNegative() ? Duration.ZERO : delay,
              suspicionAfter(crashes, budget.maxCrashes()),
              failure(orphan, loss, ""));
      case Decision.Fail(String reason) -> bury(orphan, loss, reason);
    };
  }

  /** At once after the first crash, since most are no fault of the job; later after more. */
  static Duration delayAfter(int crashes) {
    if (crashes <= 1) {
      return Duration.ZERO;
    }
    Duration delay = SECOND_CRASH.multipliedBy(1L << Math.min(crashes - 2, 10));
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  /**
   * From the second crash on a job may be what kills its nodes. The budget may be exceeded where a
   * policy decides.
   */
  static Suspicion suspicionAfter(int crashes, int maxCrashes) {
    if (crashes < 2) {
      return Suspicion.NONE;
    }
    return crashes + 1 < maxCrashes ? Suspicion.SLOW : Suspicion.ALONE;
  }

  /** What becomes of a job whose recovery policy does not decide. */
  static RecoveryAction withoutDecision(Orphan orphan, Loss loss, int times, Throwable last) {
    return bury(
        orphan,
        loss,
        "its recovery policy failed %d times, at last with %s".formatted(times, last));
  }

  private static RecoveryAction bury(Orphan orphan, Loss loss, String why) {
    return new RecoveryAction.DeadLetter(orphan.claim(), failure(orphan, loss, "; " + why));
  }

  private static Failure failure(Orphan orphan, Loss loss, String why) {
    return FailureReport.of(
        orphan.attempt(),
        FailureCode.WORKER_CRASHED,
        "Node %s died while it ran this job: it had been silent for %d ms%s."
            .formatted(loss.id(), loss.silence().toMillis(), why),
        loss.id());
  }
}
