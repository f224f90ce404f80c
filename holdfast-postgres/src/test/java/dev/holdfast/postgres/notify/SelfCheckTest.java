package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.notify.SelfCheck.Advice;
import dev.holdfast.postgres.notify.SelfCheck.Patience;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SelfCheckTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final SelfCheck check = new SelfCheck(Patience.DEFAULT, 0);

  @Test
  void aNewConnectionIsPingedAtOnceAndOnlyOnce() {
    assertThat(check.advise(0)).isEqualTo(Advice.PING);
    assertThat(check.advise(1 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.quiet(1 * SECOND)).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void aPingThatIsNotReceivedMeansThatSignalsAreLost() {
    check.advise(0);
    check.sent(1 * SECOND);

    assertThat(check.advise(5 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.advise(6 * SECOND)).isEqualTo(Advice.GIVE_UP);
  }

  @Test
  void aPingThatCouldNotBeSentIsNoFailure() {
    check.advise(0);
    check.unsent();

    assertThat(check.advise(1 * SECOND)).isEqualTo(Advice.ASK);
    check.replied(1 * SECOND);
    assertThat(check.advise(2 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.advise(6 * SECOND)).isEqualTo(Advice.PING);
    assertThat(check.isProven()).isFalse();
  }

  @Test
  void aPingThatWaitsForAConnectionIsNoFailure() {
    check.advise(0);
    check.heard(0);
    assertThat(check.advise(120 * SECOND)).isEqualTo(Advice.PING);

    assertThat(check.advise(125 * SECOND)).isEqualTo(Advice.ASK);
    check.replied(125 * SECOND);
    assertThat(check.advise(244 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.advise(245 * SECOND)).isEqualTo(Advice.PING);
  }

  @Test
  void aConnectionThatReceivesSignalsIsNotPinged() {
    check.advise(0);
    check.heard(1 * SECOND);
    check.heard(50 * SECOND);

    assertThat(check.advise(160 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.quiet(160 * SECOND)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aSilentConnectionIsPingedEveryTwoMinutes() {
    check.advise(0);
    check.heard(0);

    assertThat(check.advise(119 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.advise(120 * SECOND)).isEqualTo(Advice.PING);
    assertThat(check.advise(124 * SECOND)).isEqualTo(Advice.WAIT);
    check.heard(124 * SECOND);
    assertThat(check.advise(243 * SECOND)).isEqualTo(Advice.WAIT);
    assertThat(check.advise(244 * SECOND)).isEqualTo(Advice.PING);
    check.sent(244 * SECOND);
    assertThat(check.advise(249 * SECOND)).isEqualTo(Advice.GIVE_UP);
  }
}
