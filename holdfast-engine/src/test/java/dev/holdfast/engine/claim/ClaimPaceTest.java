package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimPaceTest {
  private static final Moment START = new Moment(0);
  private final ClaimPace pace = new ClaimPace();

  private static Moment after(long millis) {
    return START.plus(Duration.ofMillis(millis));
  }

  @Test
  void shortJobsFreeTheirSlotsWhileAClaimIsUnderWay() {
    pace.took(Duration.ofMillis(2));
    pace.soon(START, 0, 2);

    assertThat(pace.soon(after(10), 100, 2)).as("10 per millisecond, for 2 x 2 ms").isEqualTo(40);
  }

  @Test
  void longJobsFreeNoSlotWhileAClaimIsUnderWay() {
    pace.took(Duration.ofMillis(2));
    pace.soon(START, 0, 2);

    assertThat(pace.soon(after(1_000), 50, 2)).isZero();
  }

  @Test
  void nothingIsExpectedBeforeTheFirstJobsHaveEnded() {
    pace.took(Duration.ofMillis(2));

    assertThat(pace.soon(START, 1_000, 2)).isZero();
    assertThat(pace.soon(after(5), 1_000, 2)).isZero();
    assertThat(pace.soon(after(5), 2_000, 2)).as("without time between two looks").isZero();
  }

  @Test
  void aSlowDatabaseIsNoReasonToHoard() {
    pace.took(Duration.ofSeconds(10));
    pace.soon(START, 0, 2);

    assertThat(pace.soon(after(100), 100, 2)).as("one per millisecond, 2 x 20 ms").isEqualTo(40);
  }

  @Test
  void slotsThatAreTooFewForAClaimAreNotClaimedForEarly() {
    pace.took(Duration.ofMillis(2));
    pace.soon(START, 0, 25);

    assertThat(pace.soon(after(10), 60, 25)).as("6 per millisecond, for 2 x 2 ms").isZero();
    assertThat(pace.soon(after(20), 130, 25)).as("7 per millisecond").isEqualTo(28);
  }
}
