package dev.holdfast.engine.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeartbeatIntervalTest {
  private final HeartbeatInterval pulse =
      HeartbeatInterval.of(Duration.ofSeconds(10), Duration.ofSeconds(60), 100, Duration.ZERO);

  @Test
  void heartbeatsAreTwiceAsFrequentWhenBusyAndHalfAsFrequentWhenIdle() {
    assertThat(pulse.next(0)).isEqualTo(Duration.ofSeconds(20));
    assertThat(pulse.next(1)).isEqualTo(Duration.ofSeconds(10));
    assertThat(pulse.next(74)).isEqualTo(Duration.ofSeconds(10));
    assertThat(pulse.next(75)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void anIdleNodeSendsThreeHeartbeatsWithinItsTimeout() {
    HeartbeatInterval tight =
        HeartbeatInterval.of(Duration.ofSeconds(1), Duration.ofSeconds(4), 100, Duration.ZERO);

    assertThat(tight.next(0)).isEqualTo(Duration.ofSeconds(4).dividedBy(3));
    assertThat(tight.next(1)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aNodeThatIsNotWatchedSendsAHeartbeatEveryMinute() {
    assertThat(HeartbeatInterval.alone(Duration.ZERO).next(0)).isEqualTo(Duration.ofMinutes(1));
    assertThat(HeartbeatInterval.alone(Duration.ZERO).next(200)).isEqualTo(Duration.ofMinutes(1));
    assertThat(HeartbeatInterval.alone(Duration.ZERO).patience()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aReplyIsAwaitedAtMostUntilTheNextHeartbeat() {
    assertThat(pulse.patience()).isEqualTo(Duration.ofSeconds(8));
    assertThat(pulse.afterFailure()).isLessThan(Duration.ofSeconds(10));
  }
}
