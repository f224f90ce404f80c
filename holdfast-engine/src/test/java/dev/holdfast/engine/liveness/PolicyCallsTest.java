package dev.holdfast.engine.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.liveness.PolicyCalls.Undecided;
import dev.holdfast.engine.store.ClaimId;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class PolicyCallsTest {
  private static final JobId JOB = new JobId(new UUID(0x7000, 1));
  private static final ClaimId HELD = new ClaimId(JOB, 3);

  private final PolicyCalls calls = new PolicyCalls(Duration.ofMillis(50));

  @Test
  void theDecisionOfAPolicyIsFollowed() {
    Decision decision = new Decision.Fail("no");

    assertThat(new PolicyCalls(Duration.ofMinutes(1)).decide(() -> decision)).isSameAs(decision);
  }

  @Test
  void theExceptionOfAPolicyIsTheCause() {
    PolicyCalls patient = new PolicyCalls(Duration.ofMinutes(1));
    Supplier<Decision> broken =
        () -> {
          throw new NoClassDefFoundError("it is not there");
        };

    assertThatThrownBy(() -> patient.decide(broken))
        .isInstanceOf(Undecided.class)
        .hasCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void policiesThatHangAreInterruptedAndDoNotDelayTheSweep() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(2);
    Supplier<Decision> hanging =
        () -> {
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException asked) {
            interrupted.countDown();
          }
          return new Decision.Fail("too late");
        };

    assertThatThrownBy(() -> calls.decide(hanging)).hasCauseInstanceOf(TimeoutException.class);
    assertThat(calls.isOutOfTime()).isFalse();
    assertThatThrownBy(() -> calls.decide(hanging)).hasCauseInstanceOf(TimeoutException.class);
    assertThat(calls.isOutOfTime()).isTrue();
    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    calls.newSweep();
    assertThat(calls.isOutOfTime()).isFalse();
  }

  @Test
  void failuresAreCountedForEachJobUntilItEnds() {
    ClaimId other = new ClaimId(JOB, 4);
    calls.failed(HELD);

    assertThat(calls.failed(HELD)).isEqualTo(2);
    assertThat(calls.failed(other)).isEqualTo(1);
    calls.keepOnly(Set.of(HELD));
    assertThat(calls.failuresOf(HELD)).isEqualTo(2);
    assertThat(calls.failuresOf(other)).isZero();
  }

  @Test
  void logLinesOfAPolicyContainTheNode() {
    MDC.put("node", "here");
    try {
      Decision decision =
          new PolicyCalls(Duration.ofMinutes(1)).decide(() -> new Decision.Fail(MDC.get("node")));

      assertThat(decision).isEqualTo(new Decision.Fail("here"));
    } finally {
      MDC.remove("node");
    }
  }
}
