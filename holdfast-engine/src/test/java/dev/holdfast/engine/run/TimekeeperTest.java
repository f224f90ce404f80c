package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.task.FailureCode;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimekeeperTest {
  private static final Moment BEGIN = new Moment(0);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final Moment LATE = BEGIN.plus(TIMEOUT.plusSeconds(1));
  private static final Moment TOO_LATE = LATE.plus(Duration.ofMinutes(1));

  private final List<Finish> finishes = new ArrayList<>();
  private final Holdings holdings = Jobs.none();
  private final Timekeeper timekeeper = new Timekeeper(parts(false));
  private final Holding holding = holding(new JobPolicy(null, TIMEOUT, null, null, null));

  private Timekeeper.Parts parts(boolean holdsHung) {
    return new Timekeeper.Parts(
        "node",
        holdings,
        new Sink(),
        Jobs.lostSlots(0),
        Duration.ofSeconds(10),
        holdsHung,
        () -> BEGIN,
        new Random(1));
  }

  private final class Sink implements FinishSink {
    @Override
    public void finish(Holding ended, Finish finish) {
      finishes.add(finish);
    }

    @Override
    public void handBack(Holding unspent) {
      throw new AssertionError("Nothing is handed back by a timekeeper");
    }
  }

  private static Holding holding(JobPolicy policy) {
    Tenure tenure =
        new Tenure(new UUID(1, 1), () -> BEGIN, Duration.ofHours(1), () -> false, BEGIN);
    return new Holding(Jobs.of("task", 1), 1, policy, tenure);
  }

  @Test
  void anAttemptThatIgnoresItsInterruptIsGivenUp() {
    timekeeper.watch(holding);

    timekeeper.tick(LATE);
    assertThat(holding.stopReason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(finishes).isEmpty();

    timekeeper.tick(TOO_LATE);
    assertThat(holding.hasEnded()).isTrue();
    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().code()).isEqualTo(FailureCode.TIMED_OUT));
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "HANDED_BACK"})
  void soIsOneThatWasAskedToStopForAnotherReasonBefore(StopReason reason) {
    timekeeper.watch(holding);
    holding.stop(reason);

    timekeeper.tick(LATE);
    timekeeper.tick(TOO_LATE);

    assertThat(holding.hasEnded()).isTrue();
    assertThat(finishes).hasSize(1);
  }

  @Test
  void oneWhoseClaimIsLostIsNotReported() {
    timekeeper.watch(holding);
    holding.stop(StopReason.CLAIM_LOST);

    assertThat(timekeeper.tick(LATE)).isEqualTo(Moment.NEVER);
    assertThat(finishes).isEmpty();
  }

  @Test
  void theJobOfAnAttemptThatHangsCanStayWithTheNode() {
    Timekeeper holding = new Timekeeper(parts(true));
    holding.watch(this.holding);

    holding.tick(LATE);
    holding.tick(TOO_LATE);

    assertThat(this.holding.stopReason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(this.holding.hasEnded()).isFalse();
    assertThat(finishes).isEmpty();
    assertThat(holdings.isRunaway(this.holding.job().id())).isFalse();
  }

  @Test
  void oneThatEndsInTimeIsLeftAlone() {
    Timekeeper.Watch watch = timekeeper.watch(holding);

    timekeeper.forget(watch);

    assertThat(timekeeper.tick(TOO_LATE)).isEqualTo(Moment.NEVER);
    assertThat(holding.stopReason()).isNull();
  }

  private static Moment at(int seconds) {
    return BEGIN.plus(Duration.ofSeconds(seconds));
  }

  @Test
  void anAttemptThatGivesNoSignIsInterruptedAndGivenUp() {
    Holding silent = holding(new JobPolicy(null, null, SILENCE, null, null));
    timekeeper.watch(silent);

    timekeeper.tick(at(9));
    assertThat(silent.stopReason()).isNull();
    timekeeper.tick(at(10));
    assertThat(silent.stopReason()).isEqualTo(StopReason.HEARTBEAT_TIMED_OUT);

    timekeeper.tick(at(60));
    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> {
              assertThat(retry.failure().code()).isEqualTo(FailureCode.HEARTBEAT_TIMED_OUT);
              assertThat(retry.failure().message()).contains("PT10S");
            });
  }

  @Test
  void everySignPutsTheEndOff() {
    Holding lively = holding(new JobPolicy(null, null, SILENCE, null, null));
    timekeeper.watch(lively);

    for (int second = 5; second < 600; second += 5) {
      lively.sign(at(second));
      assertThat(timekeeper.tick(at(second + 5))).isEqualTo(at(second).plus(SILENCE));
    }

    assertThat(lively.stopReason()).isNull();
  }

  @Test
  void signsDoNotPutTheTimeoutOff() {
    Holding lively = holding(new JobPolicy(null, TIMEOUT, SILENCE, null, null));
    timekeeper.watch(lively);

    lively.sign(at(55));
    assertThat(timekeeper.tick(at(59))).isEqualTo(BEGIN.plus(TIMEOUT));
    timekeeper.tick(at(60));

    assertThat(lively.stopReason()).isEqualTo(StopReason.TIMED_OUT);
  }

  @Test
  void anAttemptThatEndsAfterASignLeavesNoAlarm() {
    Holding lively = holding(new JobPolicy(null, null, SILENCE, null, null));
    Timekeeper.Watch watch = timekeeper.watch(lively);
    lively.sign(at(5));
    timekeeper.tick(at(12));

    timekeeper.forget(watch);

    assertThat(timekeeper.tick(at(12))).isEqualTo(Moment.NEVER);
  }
}
