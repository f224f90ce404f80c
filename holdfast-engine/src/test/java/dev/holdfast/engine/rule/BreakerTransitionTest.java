package dev.holdfast.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.engine.store.TaskStore.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BreakerTransitionTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration PAUSE = Duration.ofSeconds(30);
  private static final CircuitBreaker TWO =
      CircuitBreaker.after(2).within(Duration.ofSeconds(10)).openFor(PAUSE);
  private static final ClaimId PROBE = claim(1);
  private static final ClaimId OTHER = claim(2);

  private static ClaimId claim(long number) {
    return new ClaimId(new JobId(new UUID(0, number)), 1);
  }

  private static BreakerTransition failed(
      BreakerTransition circuit, Instant at, ClaimId... claims) {
    return circuit.after(new Attempts("t", TWO, List.of(claims), List.of()), at);
  }

  private static BreakerTransition succeeded(
      BreakerTransition circuit, Instant at, ClaimId... claims) {
    return circuit.after(new Attempts("t", TWO, List.of(), List.of(claims)), at);
  }

  @Test
  void theWindowSlides() {
    BreakerTransition circuit = failed(BreakerTransition.CLOSED, NOW, OTHER);
    circuit = failed(circuit, NOW.plusSeconds(10), OTHER);
    assertThat(circuit.state()).isEqualTo(BreakerState.CLOSED);

    circuit = failed(circuit, NOW.plusSeconds(19), OTHER);

    assertThat(circuit.state()).isEqualTo(BreakerState.OPEN);
    assertThat(circuit.shut(NOW.plusSeconds(19))).isEqualTo(PAUSE);
  }

  @Test
  void noMoreFailuresAreRememberedThanTheThreshold() {
    BreakerTransition circuit = failed(BreakerTransition.CLOSED, NOW, OTHER);

    assertThat(circuit.failures()).hasSize(1);
    assertThat(failed(circuit, NOW, OTHER).failures()).isEmpty();
  }

  @Test
  void aTrialJobStartsAfterThePauseIfNoneIsRunning() {
    BreakerTransition open = failed(BreakerTransition.CLOSED, NOW, OTHER, OTHER);
    assertThat(open.mayProbe(NOW.plus(PAUSE).minusMillis(1), held -> false)).isFalse();
    assertThat(open.mayProbe(NOW.plus(PAUSE), held -> false)).isTrue();

    BreakerTransition probing = open.probing(PROBE, NOW.plus(PAUSE));

    Instant later = NOW.plus(PAUSE).plus(PAUSE);
    assertThat(probing.mayProbe(later.minusMillis(1), held -> false)).isFalse();
    assertThat(probing.mayProbe(later, held -> true)).isFalse();
    assertThat(probing.mayProbe(later, held -> false)).isTrue();
  }

  @Test
  void aTrialJobHasSomeSecondsEvenIfThePauseIsShort() {
    BreakerTransition probing =
        new BreakerTransition(BreakerState.OPEN, List.of(), NOW, Duration.ofMillis(100), null)
            .probing(PROBE, NOW);

    assertThat(probing.mayProbe(NOW.plusSeconds(4), held -> false)).isFalse();
    assertThat(probing.mayProbe(NOW.plusSeconds(5), held -> false)).isTrue();
    assertThat(failed(probing, NOW, PROBE).shut(NOW)).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void onlyTheOutcomeOfTheTrialJobCounts() {
    BreakerTransition probing =
        failed(BreakerTransition.CLOSED, NOW, OTHER, OTHER).probing(PROBE, NOW);

    assertThat(succeeded(probing, NOW, OTHER)).isEqualTo(probing);
    assertThat(failed(probing, NOW, OTHER)).isEqualTo(probing);
    assertThat(succeeded(probing, NOW, OTHER, PROBE)).isEqualTo(BreakerTransition.CLOSED);
    assertThat(failed(probing, NOW, PROBE).state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void aTransitionIsReportedOnce() {
    BreakerTransition open = failed(BreakerTransition.CLOSED, NOW, OTHER, OTHER);
    BreakerTransition probing = open.probing(PROBE, NOW);
    BreakerTransition again = failed(probing, NOW, PROBE);

    assertThat(open.turnSince(BreakerTransition.CLOSED)).isEqualTo(Turn.OPENED);
    assertThat(open.turnSince(open)).isEqualTo(Turn.NONE);
    assertThat(again.turnSince(probing)).isEqualTo(Turn.OPENED);
    assertThat(BreakerTransition.CLOSED.turnSince(probing)).isEqualTo(Turn.CLOSED);
    assertThat(BreakerTransition.CLOSED.turnSince(BreakerTransition.CLOSED)).isEqualTo(Turn.NONE);
  }
}
