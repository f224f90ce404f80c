package dev.holdfast.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTimesTest {
  private static final Moment SENT = new Moment(0);

  private static Moment at(Duration time) {
    return SENT.plus(time);
  }

  @Test
  void theDeadlineLeavesATenthOfTheTtlButAtMostTenSeconds() {
    assertThat(LeaseTimes.deadline(SENT, Duration.ofSeconds(30)))
        .isEqualTo(at(Duration.ofSeconds(27)));
    assertThat(LeaseTimes.deadline(SENT, Duration.ofHours(1)))
        .isEqualTo(at(Duration.ofHours(1).minusSeconds(10)));
  }

  @Test
  void aLeaseIsRenewedAtAThirdOfItsTtl() {
    assertThat(LeaseTimes.renewal(SENT, Duration.ofMinutes(2)))
        .isEqualTo(at(Duration.ofSeconds(40)));
  }

  @Test
  void aFailedRenewalIsRetriedSoon() {
    assertThat(LeaseTimes.retry(SENT, Duration.ofSeconds(2))).isEqualTo(at(Duration.ofMillis(100)));
    assertThat(LeaseTimes.retry(SENT, Duration.ofHours(1))).isEqualTo(at(Duration.ofSeconds(5)));
  }
}
