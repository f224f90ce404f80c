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
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RulingsTest {
  private static final Held HELD = new Held(new JobId(new UUID(0x7000, 1)), 3);
  private static final Loss SILENT = new Loss("n", Death.SILENCE, Duration.ofSeconds(61));
  private static final Counsel NOBODY = new Counsel(Optional.empty(), false);

  private static Orphan orphan(boolean started, int crashes) {
    return new Orphan(HELD, 1, "t", "q", null, started, 1, 4, crashes, null);
  }

  private static Ruling rule(Orphan orphan, CrashPolicy policy) {
    return Rulings.rule(orphan, SILENT, policy, NOBODY).orElseThrow();
  }

  @Test
  void whatHasNotBegunCostsNothingWhateverThePolicy() {
    assertThat(rule(orphan(false, 2), CrashPolicy.fail())).isEqualTo(new Ruling.Unspent(HELD));
  }

  @Test
  void whatANodeGaveUpByItsOwnHandCostsNothing() {
    Loss own = new Loss("n", Death.OWN_HAND, Duration.ZERO);

    assertThat(Rulings.rule(orphan(true, 2), own, CrashPolicy.fail(), NOBODY))
        .contains(new Ruling.Unspent(HELD));
  }

  @Test
  void theFirstCrashIsForgivenAtOnceAndLaterOnesWait() {
    assertThat(rule(orphan(true, 0), CrashPolicy.DEFAULT))
        .isInstanceOfSatisfying(
            Ruling.AfterCrash.class, again -> assertThat(again.delay()).isZero());
    assertThat(rule(orphan(true, 1), CrashPolicy.DEFAULT))
        .isInstanceOfSatisfying(
            Ruling.AfterCrash.class,
            again -> assertThat(again.delay()).isEqualTo(Duration.ofSeconds(5)));
    assertThat(Rulings.delayAfter(4)).isEqualTo(Duration.ofSeconds(20));
    assertThat(Rulings.delayAfter(100)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void theBudgetOfCrashesIsKept() {
    assertThat(rule(orphan(true, 2), CrashPolicy.DEFAULT))
        .isInstanceOfSatisfying(
            Ruling.Bury.class,
            bury -> {
              assertThat(bury.failure().code()).isEqualTo(FailureCode.WORKER_CRASHED);
              assertThat(bury.failure().message())
                  .contains("Node n")
                  .contains("61000 ms")
                  .contains("3 allowed crashes");
            });
  }

  @Test
  void aJobThatIsToBeAskedAboutIsLeftToWhoeverKnowsItsTask() {
    assertThat(
            Rulings.rule(
                orphan(true, 0), SILENT, CrashPolicy.ask(), new Counsel(Optional.empty(), true)))
        .isEmpty();
    assertThat(rule(orphan(true, 0), CrashPolicy.ask())).isInstanceOf(Ruling.AfterCrash.class);
  }

  @Test
  void thePolicyOfTheTaskIsObeyed() {
    RecoveryPolicy later =
        crash -> new RecoveryPolicy.Decision.RunAgain(Duration.ofMinutes(crash.crashes()));

    assertThat(
            Rulings.rule(
                orphan(true, 1), SILENT, CrashPolicy.ask(), new Counsel(Optional.of(later), true)))
        .hasValueSatisfying(ruling ->
            assertThat(((Ruling.AfterCrash) ruling).delay()).isEqualTo(Duration.ofMinutes(2)));
  }
}
