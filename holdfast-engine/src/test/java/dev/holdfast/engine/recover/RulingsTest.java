package dev.holdfast.engine.recover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.CrashPolicy;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.recover.Rulings.Counsel;
import dev.holdfast.engine.recover.Rulings.Loss;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.NodeBook.Death;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.Ruling;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RulingsTest {
  private static final Held HELD = new Held(new JobId(new UUID(0x7000, 1)), 3);
  private static final Loss SILENT = new Loss("n", Death.SILENCE, Duration.ofSeconds(61));
  private static final Loss FENCED = new Loss("n", Death.OWN_HAND, Duration.ZERO);
  private static final Counsel NOBODY = new Counsel(Optional.empty(), () -> false);

  private static Orphan orphan(boolean started, int crashes) {
    return new Orphan(HELD, 1, "t", "q", null, started, 1, 4, crashes, 0, null);
  }

  private static Ruling rule(Orphan orphan, CrashPolicy policy) {
    return Rulings.rule(orphan, SILENT, policy, NOBODY).orElseThrow();
  }

  @Test
  void whatHasNotBegunCostsNothingWhateverThePolicy() {
    assertThat(rule(orphan(false, 2), CrashPolicy.fail())).isEqualTo(new Ruling.Unspent(HELD));
  }

  private static Orphan fencedBefore(int times) {
    return new Orphan(HELD, 1, "t", "q", null, true, 1, 4, 2, times, null);
  }

  @Test
  void whatANodeGaveUpByItsOwnHandIsNoCrashAndCountsAsAFencing() {
    assertThat(Rulings.rule(fencedBefore(0), FENCED, CrashPolicy.fail(), NOBODY))
        .contains(new Ruling.AfterFencing(HELD));
    assertThat(Rulings.rule(orphan(false, 2), FENCED, CrashPolicy.fail(), NOBODY))
        .contains(new Ruling.Unspent(HELD));
  }

  @Test
  void theBudgetOfFencingsIsKept() {
    assertThat(Rulings.rule(fencedBefore(3), FENCED, CrashPolicy.DEFAULT, NOBODY))
        .contains(new Ruling.AfterFencing(HELD));
    assertThat(Rulings.rule(fencedBefore(4), FENCED, CrashPolicy.DEFAULT, NOBODY))
        .hasValueSatisfying(ruling ->
            assertThat(ruling)
                .isInstanceOfSatisfying(
                    Ruling.Bury.class,
                    bury -> {
                      assertThat(bury.failure().code()).isEqualTo(FailureCode.NODE_FENCED);
                      assertThat(bury.failure().message())
                          .contains("Node n")
                          .contains("5 allowed fencings");
                    }));
    assertThat(
            Rulings.rule(fencedBefore(4), FENCED, CrashPolicy.DEFAULT.withMaxFencings(6), NOBODY))
        .contains(new Ruling.AfterFencing(HELD));
  }

  private static Ruling.AfterCrash again(int crashesBefore, CrashPolicy policy) {
    return (Ruling.AfterCrash) rule(orphan(true, crashesBefore), policy);
  }

  @Test
  void theFirstCrashIsForgivenAtOnceAndLaterOnesWait() {
    assertThat(again(0, CrashPolicy.DEFAULT).delay()).isZero();
    assertThat(again(1, CrashPolicy.DEFAULT).delay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(Rulings.delayAfter(4)).isEqualTo(Duration.ofSeconds(20));
    assertThat(Rulings.delayAfter(100)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void aJobIsASuspectFromItsSecondCrashOnAndRunsAloneWithOneCrashLeft() {
    assertThat(again(0, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.NONE);
    assertThat(again(1, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.SLOW);
    assertThat(again(2, CrashPolicy.DEFAULT).suspicion()).isEqualTo(Suspicion.ALONE);
    assertThat(again(1, CrashPolicy.retry(3)).suspicion()).isEqualTo(Suspicion.ALONE);
    assertThat(again(0, CrashPolicy.retry(2)).suspicion()).isEqualTo(Suspicion.NONE);
    assertThat(again(8, CrashPolicy.retry(100)).suspicion()).isEqualTo(Suspicion.SLOW);
  }

  @Test
  void theBudgetOfCrashesIsKept() {
    assertThat(rule(orphan(true, 3), CrashPolicy.DEFAULT))
        .isInstanceOfSatisfying(
            Ruling.Bury.class,
            bury -> {
              assertThat(bury.failure().code()).isEqualTo(FailureCode.WORKER_CRASHED);
              assertThat(bury.failure().message())
                  .contains("Node n")
                  .contains("61000 ms")
                  .contains("4 allowed crashes");
            });
  }

  @Test
  void aJobThatIsToBeAskedAboutIsLeftToWhoeverKnowsItsTask() {
    assertThat(
            Rulings.rule(
                orphan(true, 0),
                SILENT,
                CrashPolicy.ask(),
                new Counsel(Optional.empty(), () -> true)))
        .isEmpty();
    assertThat(rule(orphan(true, 0), CrashPolicy.ask())).isInstanceOf(Ruling.AfterCrash.class);
  }

  @Test
  void thePolicyOfTheTaskIsObeyed() {
    RecoveryPolicy later =
        crash -> new RecoveryPolicy.Decision.RunAgain(Duration.ofMinutes(crash.crashes()));

    assertThat(
            Rulings.rule(
                orphan(true, 1),
                SILENT,
                CrashPolicy.ask(),
                new Counsel(Optional.of(later), () -> true)))
        .hasValueSatisfying(ruling -> {
          assertThat(((Ruling.AfterCrash) ruling).delay()).isEqualTo(Duration.ofMinutes(2));
          assertThat(((Ruling.AfterCrash) ruling).suspicion()).isEqualTo(Suspicion.SLOW);
        });
  }
}
