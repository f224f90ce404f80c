package dev.holdfast.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class MomentTest {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void aMomentMovesByADuration() {
    assertThat(new Moment(5).plus(Duration.ofNanos(3))).isEqualTo(new Moment(8));
    assertThat(new Moment(5).plus(Duration.ofNanos(-3))).isEqualTo(new Moment(2));
  }

  @Test
  void whatLiesFartherThanMomentsReachIsNever() {
    assertThat(new Moment(0).plus(FOREVER)).isEqualTo(Moment.NEVER);
    assertThat(new Moment(5).plus(Duration.ofDays(365_000))).isEqualTo(Moment.NEVER);
    assertThat(new Moment(5).plus(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo(Moment.NEVER);
    assertThat(Moment.NEVER.plus(Duration.ofSeconds(1))).isEqualTo(Moment.NEVER);
  }
}
