package dev.holdfast.engine.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SilenceTrackerTest {
  private static final UUID NODE = new UUID(1, 1);

  private final SilenceTracker tracker = new SilenceTracker(Duration.ofSeconds(10));

  private static Moment at(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  private static Pulse pulse(long beat) {
    return new Pulse(
        NODE, "n", new Timeouts(Duration.ofSeconds(30), Duration.ofMinutes(1)), beat, false);
  }

  private @Nullable Duration look(long asked, long replied, long beat) {
    return tracker.look(at(asked), at(replied), List.of(pulse(beat))).get(NODE);
  }

  @Test
  void aNewSweeperKnowsOfNoSilence() {
    assertThat(look(100, 101, 7)).isZero();
  }

  @Test
  void silenceCountsFromTheEndOfTheLookThatSawTheHeartbeatToTheStartOfTheNext() {
    look(0, 2, 7);

    assertThat(look(9, 11, 7)).isEqualTo(Duration.ofSeconds(7));
    assertThat(look(18, 19, 7)).isEqualTo(Duration.ofSeconds(16));
  }

  @Test
  void aHeartbeatEndsTheSilence() {
    look(0, 0, 7);
    look(5, 5, 7);

    assertThat(look(10, 10, 8)).isZero();
    assertThat(look(14, 14, 8)).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void afterAFailedLookNothingIsKnown() {
    look(0, 0, 7);
    tracker.interrupt();

    assertThat(look(5, 5, 7)).isZero();
  }

  @Test
  void aPausedSweeperStartsCountingAgain() {
    look(0, 0, 7);

    assertThat(look(11, 11, 7)).isZero();
    assertThat(look(20, 20, 7)).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void aSweeperThatWaitedForTheDatabaseKeepsCounting() {
    look(0, 0, 7);
    for (int seconds = 5; seconds <= 60; seconds += 5) {
      tracker.contact(at(seconds));
    }

    assertThat(look(62, 62, 7)).isEqualTo(Duration.ofSeconds(62));
  }

  @Test
  void aSuccessfulCallDoesNotCompensateForAFailedLook() {
    look(0, 0, 7);
    tracker.interrupt();
    tracker.contact(at(4));

    assertThat(look(5, 5, 7)).isZero();
  }

  @Test
  void theNextTimeoutCountsFromTheLookThatSawTheHeartbeat() {
    look(0, 2, 7);

    assertThat(tracker.nextTimeout(at(5), List.of(pulse(7)))).isEqualTo(at(32));
    assertThat(tracker.nextTimeout(at(32), List.of(pulse(7)))).isEqualTo(at(62));
    assertThat(tracker.nextTimeout(at(62), List.of(pulse(7)))).isEqualTo(Moment.NEVER);
  }
}
