package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimCallsTest {
  private static final Moment NOW = new Moment(0);

  private final ClaimCalls calls = new ClaimCalls();

  @Test
  void aCallThatHasEndedIsOver() {
    long call = calls.start();
    calls.end(call);

    assertThat(calls.look().wasOver(call)).isTrue();
  }

  @Test
  void aCallInProgressIsNotOver() {
    long call = calls.start();
    ClaimCalls.Seen seen = calls.look();
    calls.end(call);

    assertThat(seen.wasOver(call)).isFalse();
  }

  @Test
  void aCallThatStartedAfterTheLookIsNotOver() {
    ClaimCalls.Seen seen = calls.look();
    long call = calls.start();
    calls.end(call);

    assertThat(seen.wasOver(call)).isFalse();
  }

  @Test
  void theOldestCallWithoutAReplyIsRemembered() {
    long lost = calls.start();
    calls.start();
    long done = calls.start();
    calls.end(done);
    calls.lose(lost, NOW);

    assertThat(calls.look().oldest()).isEqualTo(lost);
    assertThat(calls.look().wasOver(lost)).isTrue();
  }

  @Test
  void aLostCallIsForgottenOnceALaterHeartbeatFindsNoJobsOfIt() {
    long lost = calls.start();
    long open = calls.start();
    calls.lose(lost, NOW);

    calls.nothingFound(NOW.plus(Duration.ofMinutes(1)));
    assertThat(calls.look().oldest()).as("it may still be executed").isEqualTo(lost);

    calls.nothingFound(NOW.plus(Duration.ofHours(1)));
    assertThat(calls.look().oldest()).isEqualTo(open);
    calls.end(open);
    assertThat(calls.look().oldest()).isEqualTo(open + 1);
  }
}
