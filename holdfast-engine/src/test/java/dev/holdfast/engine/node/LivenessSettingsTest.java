package dev.holdfast.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class LivenessSettingsTest {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void theClaimedTimeoutAppliesIfItIsShorter() {
    assertThat(new Timeouts(Duration.ofSeconds(3), Duration.ofSeconds(4)).shorter())
        .isEqualTo(Duration.ofSeconds(3));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> LivenessSettings.DEFAULT.with(s -> s.claimedTimeout(Duration.ofSeconds(30))))
        .withMessageContaining("A sweep interval of 30 s is too long for a timeout of 30 s");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> LivenessSettings.DEFAULT.with(s -> s.claimedTimeout(Duration.ofSeconds(20))))
        .withMessageContaining("use a timeout of at least 30 s");
  }

  @Test
  void withoutRecoveryNoSweepIntervalIsRequired() {
    assertThat(
            LivenessSettings.DEFAULT
                .with(s -> s.claimedTimeout(Duration.ofSeconds(30)).recover(false, true))
                .sweep())
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(
            LivenessSettings.DEFAULT
                .with(s -> s.sweep(Duration.ofHours(1)).recover(false, false))
                .sweep())
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  void timeoutsMayBeUnlimited() {
    assertThat(LivenessSettings.DEFAULT.with(s -> s.timeout(FOREVER)).timeouts())
        .isEqualTo(Timeouts.of(Times.LONGEST));
  }

  @Test
  void anUnlimitedHeartbeatIntervalIsRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LivenessSettings.DEFAULT.with(s -> s.heartbeat(FOREVER)))
        .withMessageContaining("a heartbeat of at most 20 s");
  }
}
