package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class PollBackoffTest {

  @Test
  void pollingBacksOffFromBurstToDeepIdle() {
    PollBackoff pace = PollBackoff.DEFAULT;

    assertThat(pace.after(0, 0)).isEqualTo(Duration.ofMillis(500));
    assertThat(pace.after(1, 0)).isEqualTo(Duration.ofMillis(1500));
    assertThat(pace.after(20, 0)).isEqualTo(Duration.ofSeconds(60));
    assertThat(pace.after(1_000_000, 0)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void jitterKeepsNodesOutOfStep() {
    assertThat(PollBackoff.DEFAULT.after(20, 1)).isEqualTo(Duration.ofSeconds(48));
  }

  @Test
  void theDeepIdleIntervalMayBeUnlimited() {
    PollBackoff pace =
        new PollBackoff(
            Duration.ofMillis(500), ChronoUnit.FOREVER.getDuration(), Duration.ofSeconds(1));

    assertThat(pace.after(1, 0)).isEqualTo(Duration.ofMillis(1500));
    assertThat(pace.after(1000, 0)).isGreaterThan(Duration.ofDays(10_000));
  }

  @Test
  void theLongestWaitIsTheDeepIdleInterval() {
    assertThat(PollBackoff.DEFAULT.isDeepIdle(4)).isFalse();
    assertThat(PollBackoff.DEFAULT.isDeepIdle(5)).isTrue();
    assertThat(PollBackoff.DEFAULT.whileUnheard().isDeepIdle(1)).isTrue();
  }

  @Test
  void aDeepIdleIntervalShorterThanTheBurstIntervalIsRejected() {
    assertThatThrownBy(() ->
            new PollBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(1)))
        .hasMessageContaining("2 s")
        .hasMessageContaining("not shorter");
  }

  @Test
  void withoutWakeupsPollingBacksOffUpToASeparateBound() {
    PollBackoff unheard = PollBackoff.DEFAULT.whileUnheard();

    assertThat(unheard.after(0, 0)).isEqualTo(Duration.ofMillis(500));
    assertThat(unheard.after(20, 0)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aBurstIntervalAboveTheBoundAppliesWithoutWakeups() {
    PollBackoff rare =
        new PollBackoff(Duration.ofMinutes(5), Duration.ofMinutes(9), Duration.ofSeconds(1));

    assertThat(rare.whileUnheard().after(20, 0)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void anInvalidIntervalWithoutWakeupsIsRejected() {
    assertThatThrownBy(
            () -> new PollBackoff(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ZERO))
        .hasMessageContaining("such as 1 s");
  }
}
