package dev.holdfast.postgres.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SuspectBackoffTest {
  private static final long SOON = Duration.ofMillis(50).toNanos();
  private static final long LATER = Duration.ofMillis(500).toNanos();
  private static final long LATE = Duration.ofSeconds(5).toNanos();

  private final SuspectBackoff pace = new SuspectBackoff(0);

  @Test
  void ifOnlyCrashSuspectsWereFoundOthersAreClaimedFirst() {
    pace.looked(0, 1);
    pace.found(0, 10);

    assertThat(pace.isDue(LATE)).isFalse();
  }

  @Test
  void underABacklogCrashSuspectsAreTriedOften() {
    pace.looked(0, 1);
    pace.found(10, 10);

    assertThat(pace.isDue(SOON)).isFalse();
    assertThat(pace.isDue(LATER)).isTrue();
  }

  @Test
  void atALowRateCrashSuspectsAreTriedOccasionally() {
    pace.looked(0, 1);
    pace.found(1, 10);

    assertThat(pace.isDue(LATER)).isFalse();
    assertThat(pace.isDue(LATE)).isTrue();
    pace.looked(LATE, 1);
    assertThat(pace.isDue(LATE + SOON)).isFalse();
  }

  @Test
  void aLookInVainIsRepeatedLaterAndLater() {
    pace.found(10, 10);
    pace.looked(0, 0);
    assertThat(pace.isDue(Duration.ofMillis(199).toNanos())).isFalse();
    assertThat(pace.isDue(Duration.ofMillis(200).toNanos())).isTrue();
    for (int i = 0; i < 100; i++) {
      pace.looked(0, 0);
    }
    assertThat(pace.isDue(Duration.ofMillis(3_199).toNanos())).isFalse();
    assertThat(pace.isDue(Duration.ofMillis(3_200).toNanos())).isTrue();
    pace.looked(0, 1);
    assertThat(pace.isDue(Duration.ofMillis(100).toNanos())).as("there may be more").isTrue();
  }
}
