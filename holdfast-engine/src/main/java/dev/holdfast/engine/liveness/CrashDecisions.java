package dev.holdfast.engine.liveness;

import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
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
import java.util.function.Supplier;

/** Decides what happens to a job whose holder is gone. */
final class CrashDecisions {
  private static final Duration SECOND_CRASH = Duration.ofSeconds(5);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);

  private CrashDecisions() {}

  /**
   * How the holder was lost.
   *
   * @param id the node
   * @param silence how long it had been silent
   */
  record Loss(String id, Death death, Duration silence) {}

  /**
   * The recovery policies that exist for a task.
   *
   * @param own asks the policy that this node has for it, if any
   * @param awaited whether the job waits for another node: one has a policy and recovers such jobs,
   *     or there is still time for one to start; evaluated only if needed
   */
  record Counsel(Optional<Supplier<Decision>> own, BooleanSupplier awaited) {}

  /** Decides about a job; empty to leave the job to a node that has a recovery policy for it. */
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
      case FAIL ->
          Optional.of(deadLetter(orphan, loss, "its crash policy does not allow another run"));
      case RETRY -> Optional.of(retry(orphan, loss, policy, crashes));
      case DECIDED_BY_TASK ->
          counsel.own().isPresent()
              ? Optional.of(carryOut(counsel.own().get().get(), orphan, loss, policy))
              : Optional.of(deadLetter(orphan, loss, "no live node has a recovery policy for it"))
                  .filter(action -> !counsel.awaited().getAsBoolean());
    };
  }

  /**
   * Decides after the holder fenced itself. It did not die, but this job may be what prevented its
   * heartbeats.
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
                "Node %s fenced itself while it ran this job, which was the last of %d allowed fencings: check whether the job stalls its process."
                    .formatted(loss.id(), fencings),
                loss.id()));
  }

  private static RecoveryAction retry(Orphan orphan, Loss loss, CrashPolicy policy, int crashes) {
    return crashes >= policy.maxCrashes()
        ? deadLetter(orphan, loss, "it was the last of %d allowed crashes".formatted(crashes))
        : new RecoveryAction.AfterCrash(
            orphan.claim(),
            delayAfter(crashes),
            suspicionAfter(crashes, policy.maxCrashes()),
            failure(orphan, loss, ""));
  }

  private static RecoveryAction carryOut(
      Decision decision, Orphan orphan, Loss loss, CrashPolicy budget) {
    int crashes = orphan.crashes() + 1;
    return switch (decision) {
      case Decision.RunAgain(Duration delay) ->
          new RecoveryAction.AfterCrash(
              orphan.claim(),
              delay.isNegative() ? Duration.ZERO : delay,
              suspicionAfter(crashes, budget.maxCrashes()),
              failure(orphan, loss, ""));
      case Decision.Fail(String reason) -> deadLetter(orphan, loss, reason);
    };
  }

  /**
   * Returns the delay of the next attempt: none after the first crash, since most crashes are not
   * caused by the job, and longer after each further one.
   */
  static Duration delayAfter(int crashes) {
    if (crashes <= 1) {
      return Duration.ZERO;
    }
    Duration delay = SECOND_CRASH.multipliedBy(1L << Math.min(crashes - 2, 10));
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  /**
   * Returns whether a job is a crash suspect: from the second crash on, the job may be what kills
   * its nodes. Recovery policies may exceed the allowed number of crashes.
   */
  static Suspicion suspicionAfter(int crashes, int maxCrashes) {
    if (crashes < 2) {
      return Suspicion.NONE;
    }
    return crashes + 1 < maxCrashes ? Suspicion.SLOW : Suspicion.ALONE;
  }

  /** Dead-letters a job whose recovery policy keeps failing. */
  static RecoveryAction withoutDecision(Orphan orphan, Loss loss, int times, Throwable last) {
    return deadLetter(
        orphan,
        loss,
        "its recovery policy failed %d times, most recently with %s".formatted(times, last));
  }

  private static RecoveryAction deadLetter(Orphan orphan, Loss loss, String why) {
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
