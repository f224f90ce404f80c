package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.held.Tenure;
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

class TimeoutWatcherTest {
  private static final Moment START = new Moment(0);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final Moment LATE = START.plus(TIMEOUT.plusSeconds(1));
  private static final Moment TOO_LATE = LATE.plus(Duration.ofMinutes(1));

  private final List<Finish> finishes = new ArrayList<>();
  private final HeldJobs heldJobs = Jobs.none();
  private final TimeoutWatcher timeoutWatcher = watcher(false);
  private final HeldJob heldJob = heldJob(new JobPolicy(null, TIMEOUT, null, null, null));

  private TimeoutWatcher watcher(boolean holdsHung) {
    return new TimeoutWatcher(
        "node",
        heldJobs,
        new Sink(),
        Jobs.lostSlots(0),
        new HungSettings(Duration.ofSeconds(10), holdsHung, 0, 0.5),
        Jobs.environment(() -> START, new Random(1)),
        () -> {});
  }

  private final class Sink implements FinishSink {
    @Override
    public void finish(HeldJob ended, Finish finish) {
      finishes.add(finish);
    }

    @Override
    public void handBack(HeldJob returned) {
      throw new AssertionError("Nothing is handed back by the watcher");
    }
  }

  private static HeldJob heldJob(JobPolicy policy) {
    Tenure tenure =
        new Tenure(new UUID(1, 1), () -> START, Duration.ofHours(1), () -> false, START);
    return new HeldJob(Jobs.of("task", 1), 1, policy, tenure);
  }

  @Test
  void anAttemptThatIgnoresInterruptionIsGivenUp() {
    timeoutWatcher.watch(heldJob);

    timeoutWatcher.tick(LATE);
    assertThat(heldJob.stopReason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(finishes).isEmpty();

    timeoutWatcher.tick(TOO_LATE);
    assertThat(heldJob.hasEnded()).isTrue();
    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().code()).isEqualTo(FailureCode.TIMED_OUT));
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "HANDED_BACK"})
  void anAttemptThatWasStoppedForAnotherReasonIsGivenUp(StopReason reason) {
    timeoutWatcher.watch(heldJob);
    heldJob.stop(reason);

    timeoutWatcher.tick(LATE);
    timeoutWatcher.tick(TOO_LATE);

    assertThat(heldJob.hasEnded()).isTrue();
    assertThat(finishes).hasSize(1);
  }

  @Test
  void anAttemptWhoseClaimIsLostIsNotReported() {
    timeoutWatcher.watch(heldJob);
    heldJob.stop(StopReason.CLAIM_LOST);

    assertThat(timeoutWatcher.tick(LATE)).isEqualTo(Moment.NEVER);
    assertThat(finishes).isEmpty();
  }

  @Test
  void theJobOfAHungAttemptCanStayClaimed() {
    TimeoutWatcher heldJob = watcher(true);
    heldJob.watch(this.heldJob);

    heldJob.tick(LATE);
    heldJob.tick(TOO_LATE);

    assertThat(this.heldJob.stopReason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(this.heldJob.hasEnded()).isFalse();
    assertThat(finishes).isEmpty();
    assertThat(heldJobs.isRunaway(this.heldJob.job().id())).isFalse();
  }

  @Test
  void anAttemptThatEndsInTimeIsNotInterrupted() {
    TimeoutWatcher.Watch watch = timeoutWatcher.watch(heldJob);

    watch.close();

    assertThat(timeoutWatcher.tick(TOO_LATE)).isEqualTo(Moment.NEVER);
    assertThat(heldJob.stopReason()).isNull();
  }

  private static Moment at(int seconds) {
    return START.plus(Duration.ofSeconds(seconds));
  }

  @Test
  void anAttemptWithoutHeartbeatsIsInterruptedAndGivenUp() {
    HeldJob silent = heldJob(new JobPolicy(null, null, SILENCE, null, null));
    timeoutWatcher.watch(silent);

    timeoutWatcher.tick(at(9));
    assertThat(silent.stopReason()).isNull();
    timeoutWatcher.tick(at(10));
    assertThat(silent.stopReason()).isEqualTo(StopReason.HEARTBEAT_TIMED_OUT);

    timeoutWatcher.tick(at(60));
    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> {
              assertThat(retry.failure().code()).isEqualTo(FailureCode.HEARTBEAT_TIMED_OUT);
              assertThat(retry.failure().message()).contains("10 s");
            });
  }

  @Test
  void everyHeartbeatExtendsTheHeartbeatTimeout() {
    HeldJob lively = heldJob(new JobPolicy(null, null, SILENCE, null, null));
    timeoutWatcher.watch(lively);

    for (int second = 5; second < 600; second += 5) {
      lively.sign(at(second));
      assertThat(timeoutWatcher.tick(at(second + 5))).isEqualTo(at(second).plus(SILENCE));
    }

    assertThat(lively.stopReason()).isNull();
  }

  @Test
  void heartbeatsDoNotExtendTheTimeout() {
    HeldJob lively = heldJob(new JobPolicy(null, TIMEOUT, SILENCE, null, null));
    timeoutWatcher.watch(lively);

    lively.sign(at(55));
    assertThat(timeoutWatcher.tick(at(59))).isEqualTo(START.plus(TIMEOUT));
    timeoutWatcher.tick(at(60));

    assertThat(lively.stopReason()).isEqualTo(StopReason.TIMED_OUT);
  }

  @Test
  void anAttemptThatEndsAfterAHeartbeatLeavesNoTimer() {
    HeldJob lively = heldJob(new JobPolicy(null, null, SILENCE, null, null));
    TimeoutWatcher.Watch watch = timeoutWatcher.watch(lively);
    lively.sign(at(5));
    timeoutWatcher.tick(at(12));

    watch.close();

    assertThat(timeoutWatcher.tick(at(12))).isEqualTo(Moment.NEVER);
  }
}
