package dev.holdfast.engine.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.liveness.CrashDecisions.Counsel;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CrashDecisionsTest {
  private static final ClaimId HELD = new ClaimId(new JobId(new UUID(0x7000, 1)), 3);
  private static final Loss SILENT = new Loss("n", Death.SILENCE, Duration.ofSeconds(61));
  private static final Loss FENCED = new Loss("n", Death.SELF_DECLARED, Duration.ZERO);
  private static final Counsel NOBODY = new Counsel(Optional.empty(), () -> false);

  private static Orphan orphan(boolean started, int crashes) {
    return new Orphan(HELD, 1, "t", "q", null, started, 1, 4, crashes, 0, null);
  }

  private static RecoveryAction rule(Orphan orphan, CrashPolicy policy) {
    return CrashDecisions.rule(orphan, SILENT, policy, NOBODY).orElseThrow();
  }

  @Test
  void aJobThatHasNotStartedUsesNoAttemptRegardlessOfItsPolicy() {
    assertThat(rule(orphan(false, 2), CrashPolicy.fail()))
        .isEqualTo(new RecoveryAction.NotStarted(HELD));
  }

  private static Orphan fencedBefore(int times) {
    return new Orphan(HELD, 1, "t", "q", null, true, 1, 4, 2, times, null);
  }

  @Test
  void aJobOfANodeThatFencedItselfCountsAsAFencingAndNotAsACrash() {
    assertThat(CrashDecisions.rule(fencedBefore(0), FENCED, CrashPolicy.fail(), NOBODY))
        .contains(new RecoveryAction.AfterFencing(HELD));
    assertThat(CrashDecisions.rule(orphan(false, 2), FENCED, CrashPolicy.fail(), NOBODY))
        .contains(new RecoveryAction.NotStarted(HELD));
  }

  @Test
  void theFencingLimitIsEnforced() {
    assertThat(CrashDecisions.rule(fencedBefore(3), FENCED, CrashPolicy.DEFAULT, NOBODY))
        .contains(new RecoveryAction.AfterFencing(HELD));
    assertThat(CrashDecisions.rule(fencedBefore(4), FENCED, CrashPolicy.DEFAULT, NOBODY))
        .hasValueSatisfying(action ->
            assertThat(action)
                .isInstanceOfSatisfying(
                    RecoveryAction.DeadLetter.class,
                    bury -> {
                      assertThat(bury.failure().code()).isEqualTo(FailureCode.NODE_FENCED);
                      assertThat(bury.failure().message())
                          .contains("Node n")
                          .contains("5 allowed fencings");
                    }));
    assertThat(
            CrashDecisions.rule(
                fencedBefore(4), FENCED, CrashPolicy.DEFAULT.withMaxFencings(6), NOBODY))
        .contains(new RecoveryAction.AfterFencing(HELD));
  }

  private static RecoveryAction.AfterCrash again(int crashesBefore, CrashPolicy policy) {
    return (RecoveryAction.AfterCrash) rule(orphan(true, crashesBefore), policy);
  }

  @Test
  void theFirstCrashIsRetriedAtOnceAndLaterOnesWait() {
    assertThat(again(0, CrashPolicy.DEFAULT).delay()).isZero();
    assertThat(again(1, CrashPolicy.DEFAULT).delay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(CrashDecisions.delayAfter(4)).isEqualTo(Duration.ofSeconds(20));
    assertThat(CrashDecisions.delayAfter(100)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void aJobIsACrashSuspectFromItsSecondCrashAndRunsAloneWithOneCrashLeft() {
    assertThat(again(0, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.NONE);
    assertThat(again(1, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.SLOW);
    assertThat(again(2, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.ALONE);
    assertThat(again(1, CrashPolicy.retry(3)).suspicion()).isEqualTo(Suspicion.ALONE);
    assertThat(again(0, CrashPolicy.retry(2)).suspicion()).isEqualTo(Suspicion.NONE);
    assertThat(again(8, CrashPolicy.retry(100)).suspicion()).isEqualTo(Suspicion.SLOW);
  }

  @Test
  void theCrashLimitIsEnforced() {
    assertThat(rule(orphan(true, 3), CrashPolicy.DEFAULT))
        .isInstanceOfSatisfying(
            RecoveryAction.DeadLetter.class,
            bury -> {
              assertThat(bury.failure().code()).isEqualTo(FailureCode.WORKER_CRASHED);
              assertThat(bury.failure().message())
                  .contains("Node n")
                  .contains("61000 ms")
                  .contains("4 allowed crashes");
            });
  }

  @Test
  void aJobDecidedByItsTaskWaitsForANodeWithAPolicyAndIsDeadLetteredIfThereIsNone() {
    assertThat(
            CrashDecisions.rule(
                orphan(true, 0),
                SILENT,
                CrashPolicy.decidedByTask(),
                new Counsel(Optional.empty(), () -> true)))
        .isEmpty();
    assertThat(rule(orphan(true, 0), CrashPolicy.decidedByTask()))
        .isInstanceOfSatisfying(
            RecoveryAction.DeadLetter.class,
            bury -> {
              assertThat(bury.failure().code()).isEqualTo(FailureCode.WORKER_CRASHED);
              assertThat(bury.failure().message()).contains("no live node has a recovery policy");
            });
  }

  @Test
  void thePolicyOfTheTaskIsFollowed() {
    assertThat(
            CrashDecisions.rule(
                orphan(true, 1),
                SILENT,
                CrashPolicy.decidedByTask(),
                new Counsel(
                    Optional.of(() -> new Decision.RunAgain(Duration.ofMinutes(2))), () -> true)))
        .hasValueSatisfying(action -> {
          assertThat(((RecoveryAction.AfterCrash) action).delay()).isEqualTo(Duration.ofMinutes(2));
          assertThat(((RecoveryAction.AfterCrash) action).suspicion()).isEqualTo(Suspicion.SLOW);
        });
  }
}
