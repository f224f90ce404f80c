package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.chaos.Evidence.Ended;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CheckerTest {
  private static final UUID JOB = new UUID(1, 1);

  private final Ended succeeded = new Ended(JOB, 2, "SUCCEEDED");

  private static Effect effect(long token, String process, boolean last, long nanos) {
    return new Effect(JOB, token, process, last, nanos);
  }

  private static Findings check(List<Ended> ended, Effect... effects) {
    return Checker.check(new Evidence(Set.of(JOB), ended, Set.of(), List.of(effects)));
  }

  @Test
  void aJobTakenOverInTimeIsNoViolation() {
    Findings findings =
        check(
            List.of(succeeded),
            effect(2, "b", false, 30),
            effect(1, "a", false, 10),
            effect(2, "b", true, 40),
            effect(1, "a", false, 20));

    assertThat(findings.sentences()).isEmpty();
    assertThat(findings.none()).isTrue();
  }

  @Test
  void anEffectAfterThoseOfTheNextHolderIsDetected() {
    Findings findings =
        check(
            List.of(succeeded),
            effect(1, "a", false, 10),
            effect(2, "b", false, 30),
            effect(1, "a", false, 35_000),
            effect(2, "b", true, 40_000));

    assertThat(findings.outOfOrder()).isOne();
    assertThat(findings.sentences())
        .singleElement()
        .asString()
        .contains("token 1 still had effects 34 us after token 2 had started");
  }

  @Test
  void anEffectOfAnEarlierHolderIsDetected() {
    Findings findings =
        check(
            List.of(new Ended(JOB, 3, "SUCCEEDED")),
            effect(1, "a", false, 50),
            effect(2, "b", false, 20),
            effect(3, "c", true, 40));

    assertThat(findings.outOfOrder()).isEqualTo(2);
  }

  @Test
  void twoHoldersOfOneTokenAreDetected() {
    Findings findings =
        check(List.of(succeeded), effect(2, "a", false, 10), effect(2, "b", true, 20));

    assertThat(findings.outOfOrder()).isOne();
  }

  @Test
  void aMissingJobCountsAsLost() {
    assertThat(check(List.of()).lost()).isOne();
  }

  @Test
  void aJobThatHasNotEndedCountsAsLost() {
    Findings findings = Checker.check(new Evidence(Set.of(JOB), List.of(), Set.of(JOB), List.of()));

    assertThat(findings.lost()).isOne();
    assertThat(findings.sentences()).containsExactly("Job %s has not ended.".formatted(JOB));
  }

  @Test
  void anUnconfirmedJobMayBeMissing() {
    Findings findings = Checker.check(new Evidence(Set.of(), List.of(), Set.of(), List.of()));

    assertThat(findings.none()).isTrue();
  }

  @Test
  void twoEndsOfOneJobAreDetected() {
    Findings findings = check(List.of(succeeded, succeeded), effect(2, "a", true, 10));

    assertThat(findings.endedTwice()).isOne();
  }

  @Test
  void anEndedJobThatIsStillLiveIsDetected() {
    Findings findings =
        Checker.check(
            new Evidence(
                Set.of(JOB), List.of(succeeded), Set.of(JOB), List.of(effect(2, "a", true, 10))));

    assertThat(findings.endedTwice()).isOne();
  }

  @Test
  void anEndWrittenByAFormerHolderIsDetected() {
    Findings findings =
        check(List.of(succeeded), effect(2, "a", true, 10), effect(3, "b", false, 20));

    assertThat(findings.staleAccepted()).isOne();
  }

  @Test
  void aSuccessOfAnIncompleteAttemptIsDetected() {
    assertThat(check(List.of(succeeded), effect(2, "a", false, 10)).staleAccepted()).isOne();
    assertThat(check(List.of(succeeded), effect(1, "a", true, 10)).staleAccepted()).isOne();
  }

  @Test
  void aDeadLetteredJobIsDetected() {
    Findings findings =
        check(List.of(new Ended(JOB, 2, Evidence.FAILED)), effect(2, "a", true, 10));

    assertThat(findings.failed()).isOne();
    assertThat(findings.none()).isFalse();
  }
}
