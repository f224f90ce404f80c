package dev.holdfast.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lease.LeaseTime.Sent;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time that a holder may rely on. It acquired the lease at second 0 for 30 s. */
class LeaseTimeTest {
  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final LeaseTime time = new LeaseTime(second(0), Duration.ofSeconds(30));

  private static Moment second(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void aLongerTtlCountsOnceItIsConfirmed() {
    Sent longer = time.reset(second(1), LONG);
    assertThat(time.deadline()).isEqualTo(second(27));

    time.confirmed(longer, second(2));

    assertThat(time.deadline()).isEqualTo(second(55));
    assertThat(time.renewal()).isEqualTo(second(21));
  }

  @Test
  void aShorterTtlCountsFromBeforeItIsSent() {
    time.reset(second(1), SHORT);

    assertThat(time.deadline()).isEqualTo(second(10));
    assertThat(time.renewal().isBefore(second(5))).isTrue();
  }

  @Test
  void anExtensionSentBeforeAResetDoesNotCountAfterIt() {
    Sent extension = time.extend(second(1));
    time.confirmed(time.reset(second(2), SHORT), second(3));
    time.failed(time.reset(second(4), LONG), false);

    time.confirmed(extension, second(5));

    assertThat(time.deadline()).isEqualTo(second(11));
  }

  @Test
  void aResetThatMayStillBeExecutedLimitsAllLaterRenewals() {
    time.failed(time.reset(second(1), SHORT), true);

    time.confirmed(time.reset(second(2), LONG), second(3));
    assertThat(time.deadline()).isEqualTo(second(11));
    time.confirmed(time.extend(second(5)), second(6));
    assertThat(time.deadline()).isEqualTo(second(14));
  }

  @Test
  void aResetThatWasNotExecutedLimitsNothingLater() {
    time.failed(time.reset(second(1), SHORT), false);

    time.confirmed(time.reset(second(2), LONG), second(3));

    assertThat(time.deadline()).isEqualTo(second(56));
  }

  @Test
  void concurrentResetsMayBeExecutedInAnyOrder() {
    Sent shorter = time.reset(second(1), SHORT);
    Sent longer = time.reset(second(2), LONG);

    time.confirmed(shorter, second(3));
    time.confirmed(longer, second(4));

    assertThat(time.deadline()).isEqualTo(second(11));
  }

  @Test
  void aConfirmationAfterTheDeadlineIsTooLate() {
    Sent extension = time.extend(second(26));

    time.confirmed(extension, second(27));

    assertThat(time.deadline()).isEqualTo(second(27));
  }
}
