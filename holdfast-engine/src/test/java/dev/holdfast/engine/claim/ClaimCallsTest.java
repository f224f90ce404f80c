package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClaimCallsTest {
  private final ClaimCalls calls = new ClaimCalls();

  @Test
  void aCallThatHasEndedIsOver() {
    long call = calls.begin();
    calls.end(call);

    assertThat(calls.look().wasOver(call)).isTrue();
  }

  @Test
  void aCallUnderWayIsNotOver() {
    long call = calls.begin();
    ClaimCalls.Seen seen = calls.look();
    calls.end(call);

    assertThat(seen.wasOver(call)).isFalse();
  }

  @Test
  void aCallThatBeganAfterTheLookWasNotOverThen() {
    ClaimCalls.Seen seen = calls.look();
    long call = calls.begin();
    calls.end(call);

    assertThat(seen.wasOver(call)).isFalse();
  }
}
