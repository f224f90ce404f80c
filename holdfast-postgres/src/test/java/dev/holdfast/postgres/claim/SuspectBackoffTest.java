package dev.holdfast.postgres.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SuspectBackoffTest {
  private static final long SOON = Duration.ofMillis(50).toNanos();
  private static final long LATER = Duration.ofMillis(500).toNanos();
  private static final long LATE = Duration.ofSeconds(5).toNanos();

  private final SuspectBackoff pace = new SuspectBackoff();

  @Test
  void ifOnlyCrashSuspectsWereFoundOthersAreClaimedFirst() {
    pace.looked(0);
    pace.found(0, 10);

    assertThat(pace.isDue(LATE)).isFalse();
  }

  @Test
  void underABacklogCrashSuspectsAreTriedOften() {
    pace.looked(0);
    pace.found(10, 10);

    assertThat(pace.isDue(SOON)).isFalse();
    assertThat(pace.isDue(LATER)).isTrue();
  }

  @Test
  void atALowRateCrashSuspectsAreTriedOccasionally() {
    pace.looked(0);
    pace.found(1, 10);

    assertThat(pace.isDue(LATER)).isFalse();
    assertThat(pace.isDue(LATE)).isTrue();
    pace.looked(LATE);
    assertThat(pace.isDue(LATE + SOON)).isFalse();
  }
}
