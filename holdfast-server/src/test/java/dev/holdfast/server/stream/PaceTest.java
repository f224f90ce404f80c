package dev.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Changes are looked at soon, and a flood of them costs a bounded number of looks. */
class PaceTest {
  private static final Duration IDLE = Duration.ofSeconds(30);
  private final Pace pace = new Pace(IDLE);
  private long now = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos(); // It overflows in the test.

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private Duration look() {
    pace.looks(now);
    pace.lookedUntil(now);
    return pace.untilDue(now);
  }

  @Test
  void theFirstLookIsDueAtOnce() {
    assertThat(pace.untilDue(now)).isZero();
  }

  @Test
  void withoutChangesLooksAreRare() {
    assertThat(look()).isEqualTo(IDLE);
  }

  @Test
  void aChangeIsLookedAtSoonAndOnceMore() {
    look();
    pass(Duration.ofSeconds(20));
    pace.changed(now);

    assertThat(pace.untilDue(now).isPositive()).isFalse();
    assertThat(look()).as("for what nodes did not tell").isEqualTo(Pace.ECHO);
    pass(Pace.ECHO);
    assertThat(look()).isEqualTo(IDLE);
  }

  @Test
  void whileChangesGoOnThereIsOneLookInASecond() {
    assertThat(looksIn100Seconds()).isBetween(100, 100 + Pace.BURST);
  }

  @Test
  void forManyClientsLooksAreRarer() {
    pace.clients(500);

    assertThat(looksIn100Seconds()).isBetween(50, 53);
  }

  private int looksIn100Seconds() {
    int looks = 0;
    for (int i = 0; i < 10_000; i++) {
      pace.changed(now);
      if (!pace.untilDue(now).isPositive()) {
        look();
        looks++;
      }
      pass(Duration.ofMillis(10));
    }
    return looks;
  }

  @Test
  void expensiveLooksAreRarer() {
    pace.looks(now);
    pass(Duration.ofMillis(500));
    pace.lookedUntil(now);
    pace.changed(now);

    assertThat(pace.untilDue(now)).isEqualTo(Duration.ofSeconds(10));
  }
}
