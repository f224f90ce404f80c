package dev.holdfast.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PulseTest {
  private final Pulse pulse = Pulse.of(Duration.ofSeconds(10), Duration.ofSeconds(60), 100, false);

  @Test
  void aBusyHeartBeatsTwiceAsFastAndAnIdleOneHalfAsFast() {
    assertThat(pulse.next(0)).isEqualTo(Duration.ofSeconds(20));
    assertThat(pulse.next(1)).isEqualTo(Duration.ofSeconds(10));
    assertThat(pulse.next(74)).isEqualTo(Duration.ofSeconds(10));
    assertThat(pulse.next(75)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void anIdleHeartStillBeatsThreeTimesWithinItsTerms() {
    Pulse tight = Pulse.of(Duration.ofSeconds(1), Duration.ofSeconds(4), 100, false);

    assertThat(tight.next(0)).isEqualTo(Duration.ofSeconds(4).dividedBy(3));
    assertThat(tight.next(1)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anAnswerIsNotAwaitedLongerThanUntilTheNextBeat() {
    assertThat(pulse.patience()).isEqualTo(Duration.ofSeconds(8));
    assertThat(pulse.afterFailure()).isLessThan(Duration.ofSeconds(10));
  }
}
