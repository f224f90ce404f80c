package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.schedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MisfireDecisionTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final Instant TEN = NOW.minus(Duration.ofHours(2));
  private static final Instant ELEVEN = NOW.minus(Duration.ofHours(1));

  @Test
  void aDueTimeThatWasNotMissedIsFiredByEveryPolicy() {
    for (Misfire policy : List.of(Misfire.SKIP, Misfire.FIRE_ONCE, Misfire.catchUp(3))) {
      assertThat(MisfireDecision.toFire(List.of(NOW), policy, NOW.plusSeconds(59)))
          .containsExactly(NOW);
    }
  }

  @Test
  void skipDropsMissedDueTimes() {
    assertThat(MisfireDecision.toFire(List.of(ELEVEN), Misfire.SKIP, NOW.minusSeconds(1)))
        .isEmpty();
    assertThat(MisfireDecision.toFire(List.of(TEN, ELEVEN, NOW), Misfire.SKIP, NOW))
        .containsExactly(NOW);
  }

  @Test
  void fireOnceFiresTheLatestDueTimeForAll() {
    assertThat(MisfireDecision.toFire(List.of(TEN, ELEVEN), Misfire.FIRE_ONCE, NOW.minusSeconds(1)))
        .containsExactly(ELEVEN);
    assertThat(MisfireDecision.toFire(List.of(TEN, ELEVEN, NOW), Misfire.FIRE_ONCE, NOW))
        .containsExactly(NOW);
  }

  @Test
  void catchUpFiresTheLatestMissedDueTimesAndTheCurrentOne() {
    assertThat(
            MisfireDecision.toFire(List.of(TEN, ELEVEN), Misfire.catchUp(1), NOW.minusSeconds(1)))
        .containsExactly(ELEVEN);
    assertThat(MisfireDecision.toFire(List.of(TEN, ELEVEN, NOW), Misfire.catchUp(1), NOW))
        .containsExactly(ELEVEN, NOW);
    assertThat(MisfireDecision.toFire(List.of(TEN, ELEVEN, NOW), Misfire.catchUp(9), NOW))
        .containsExactly(TEN, ELEVEN, NOW);
  }
}
