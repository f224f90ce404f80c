package dev.holdfast.postgres.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.claim.ReadyScan.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadyScanTest {
  private static final Duration AGING = Duration.ofMinutes(15);
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ReadyScan scan = new ReadyScan(AGING, ReadyScan.Slow.DEFAULT);

  private static Instant rank(Instant ready, int priority) {
    return ready.minus(AGING.multipliedBy(priority));
  }

  private static boolean covers(List<Window> windows, Instant rank) {
    return windows.stream().anyMatch(w -> !rank.isBefore(w.from()) && rank.isBefore(w.to()));
  }

  /** Records a full scan that took a second, after which claims use windows for 20 seconds. */
  private void recordASlowClaim(Instant last) {
    scan.took(ReadyScan.WHOLE, 0, SECOND);
    assertThat(scan.isUnclear()).isTrue();
    scan.counted(1_000_000, SECOND, SECOND);
    assertThat(scan.isUnclear()).isFalse();
    scan.saw(NOON, last, SECOND);
  }

  @Test
  void aFastClaimCausesNoWindows() {
    scan.took(ReadyScan.WHOLE, 0, Duration.ofMillis(3).toNanos());
    scan.saw(NOON, null, 0);

    assertThat(scan.windows(SECOND)).isEqualTo(ReadyScan.WHOLE);
  }

  @Test
  void aClaimThatIsSlowForAnotherReasonCausesNoWindows() {
    scan.took(ReadyScan.WHOLE, 0, SECOND);
    scan.counted(10, SECOND, SECOND);
    scan.saw(NOON, null, SECOND);

    assertThat(scan.windows(2 * SECOND)).isEqualTo(ReadyScan.WHOLE);
  }

  @Test
  void deadEntriesAreCountedAgainLaterIfTheyWereFew() {
    scan.took(ReadyScan.WHOLE, 0, SECOND);
    scan.counted(10, SECOND, SECOND);

    scan.took(ReadyScan.WHOLE, 5 * SECOND, 6 * SECOND);
    assertThat(scan.isUnclear()).isFalse();
    scan.took(ReadyScan.WHOLE, 10 * SECOND, 11 * SECOND);
    assertThat(scan.isUnclear()).isTrue();
  }

  @Test
  void windowsEndWhenTheDeadEntriesAreGoneAlthoughClaimsStaySlow() {
    recordASlowClaim(null);

    scan.took(ReadyScan.WHOLE, 21 * SECOND, 22 * SECOND);
    assertThat(scan.isUnclear()).isTrue();
    scan.counted(10, 22 * SECOND, 22 * SECOND);

    assertThat(scan.windows(23 * SECOND)).isEqualTo(ReadyScan.WHOLE);
  }

  @Test
  void countingIsPartOfTheTimeOfAFullScan() {
    scan.took(ReadyScan.WHOLE, 0, SECOND);
    scan.counted(1_000_000, SECOND, 2 * SECOND);
    scan.saw(NOON, null, 2 * SECOND);

    assertThat(scan.windows(41 * SECOND)).isNotEqualTo(ReadyScan.WHOLE);
    assertThat(scan.windows(42 * SECOND)).isEqualTo(ReadyScan.WHOLE);
  }

  @Test
  void afterASlowClaimEveryNewJobIsInAWindowRegardlessOfItsPriority() {
    recordASlowClaim(null);

    List<Window> windows = scan.windows(6 * SECOND);

    for (int priority = 0; priority < 10; priority++) {
      assertThat(covers(windows, rank(NOON, priority))).isTrue();
      assertThat(covers(windows, rank(NOON.plusSeconds(5), priority))).isTrue();
    }
  }

  @Test
  void deadEntriesAreOutsideTheWindows() {
    recordASlowClaim(null);

    List<Window> windows = scan.windows(2 * SECOND);

    for (int priority = 0; priority < 10; priority++) {
      assertThat(covers(windows, rank(NOON.minusSeconds(60), priority))).isFalse();
    }
  }

  @Test
  void anUnclaimedBacklogStaysInAWindow() {
    Instant last = rank(NOON.minusSeconds(600), 4);
    recordASlowClaim(last);

    List<Window> windows = scan.windows(2 * SECOND);

    assertThat(covers(windows, last)).isTrue();
    assertThat(covers(windows, last.plusMillis(1))).isTrue();
    assertThat(covers(windows, rank(NOON.minusSeconds(100), 4))).isTrue();
    assertThat(covers(windows, last.minusSeconds(3600))).isFalse();
  }

  @Test
  void windowsAreAscendingAndDisjoint() {
    Random random = new Random(7);
    for (int round = 0; round < 1_000; round++) {
      Instant time = NOON.plusSeconds(round);
      scan.took(ReadyScan.WHOLE, round * SECOND, (round + 1) * SECOND);
      scan.counted(1_000_000, (round + 1) * SECOND, (round + 1) * SECOND);
      scan.saw(
          time,
          random.nextBoolean() ? null : time.minusSeconds(random.nextInt(10_000)),
          (round + 1) * SECOND);

      List<Window> windows = scan.windows((round + 1) * SECOND + random.nextInt(1_000_000));

      for (int i = 0; i < windows.size(); i++) {
        assertThat(windows.get(i).from()).isBefore(windows.get(i).to());
        if (i > 0) {
          assertThat(windows.get(i - 1).to()).isBeforeOrEqualTo(windows.get(i).from());
        }
      }
    }
  }

  @Test
  void ifWindowsReturnTooLittleAFullScanFollowsUnlessItTakesVeryLong() {
    scan.took(ReadyScan.WHOLE, 0, Duration.ofMillis(100).toNanos());
    assertThat(scan.affordsWhole()).isTrue();

    scan.took(ReadyScan.WHOLE, 0, SECOND);
    assertThat(scan.affordsWhole()).isFalse();
  }

  @Test
  void fullScansTakeATwentiethOfTheTime() {
    recordASlowClaim(null);

    assertThat(scan.windows(20 * SECOND)).isNotEqualTo(ReadyScan.WHOLE);
    assertThat(scan.windows(21 * SECOND)).isEqualTo(ReadyScan.WHOLE);
  }
}
