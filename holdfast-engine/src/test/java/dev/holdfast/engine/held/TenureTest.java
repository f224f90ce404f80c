package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TenureTest {
  private long seconds;
  private Instant timeOfDay = Instant.EPOCH;

  private final Ticker ticker =
      new Ticker() {
        @Override
        public Moment now() {
          return at(seconds);
        }

        @Override
        public Instant timeOfDay() {
          return timeOfDay;
        }
      };

  private final Tenure tenure =
      new Tenure(new UUID(1, 1), ticker, Duration.ofSeconds(45), () -> false, at(0));

  private static Moment at(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void tenureCountsFromBeforeTheHeartbeatWasSent() {
    seconds = 44;
    assertThat(tenure.isOver()).isFalse();
    assertThat(tenure.extend(at(10), timeOfDay)).isTrue();
    seconds = 54;
    assertThat(tenure.isOver()).isFalse();
    seconds = 55;
    assertThat(tenure.isOver()).isTrue();
  }

  @Test
  void aLateReplyDoesNotRestoreTenure() {
    seconds = 45;

    assertThat(tenure.extend(at(40), timeOfDay)).isFalse();
    assertThat(tenure.isOver()).isTrue();
  }

  @Test
  void tenureEndsOnceAndPermanently() {
    assertThat(tenure.end()).isTrue();
    assertThat(tenure.end()).isFalse();
    assertThat(tenure.extend(at(0), timeOfDay)).isFalse();
    assertThat(tenure.isOver()).isTrue();
  }

  @Test
  void afterSuspensionTenureIsInDoubtUntilAHeartbeatSucceeds() {
    timeOfDay = timeOfDay.plusSeconds(46);

    assertThat(tenure.isOver()).isFalse();
    assertThat(tenure.isInDoubt()).isTrue();
    assertThat(tenure.extend(at(0), timeOfDay)).isTrue();
    assertThat(tenure.isInDoubt()).isFalse();
  }

  @Test
  void afterAShortSuspensionTenureIsInDoubtBecauseItsDeadlineIsLate() {
    seconds = 10;
    timeOfDay = timeOfDay.plusSeconds(11);

    assertThat(tenure.isInDoubt()).isTrue();
  }

  @Test
  void aSmallWallClockAdjustmentRaisesNoDoubt() {
    seconds = 10;
    timeOfDay = timeOfDay.plusMillis(10_400);

    assertThat(tenure.isInDoubt()).isFalse();
  }

  @Test
  void afterSuspensionDuringAHeartbeatTenureIsStillInDoubt() {
    Instant sent = timeOfDay;
    timeOfDay = timeOfDay.plusSeconds(46);

    assertThat(tenure.extend(at(0), sent)).isTrue();

    assertThat(tenure.isInDoubt()).isTrue();
  }

  @Test
  void tenureEndsAtOnceWhenTheIncarnationIsNoLongerRegistered() {
    AtomicBoolean unseated = new AtomicBoolean();
    Tenure alone =
        new Tenure(new UUID(1, 1), ticker, Duration.ofDays(36_500), unseated::get, at(0));
    assertThat(alone.isOver()).isFalse();

    unseated.set(true);

    assertThat(alone.isOver()).isTrue();
  }
}
