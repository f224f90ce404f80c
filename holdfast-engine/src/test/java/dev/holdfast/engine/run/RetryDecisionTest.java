package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RetryDecisionTest {
  private static final ClaimId HELD = new ClaimId(new JobId(new UUID(1, 2)), 3);
  private static final double MIDDLE = 0.5;

  private static Finish decide(int attempt, Throwable thrown, RetryPolicy retry, double chance) {
    Finish.Failure failure =
        FailureReport.of(attempt, RetryDecision.codeOf(thrown), thrown, "node");
    return RetryDecision.onFailure(HELD, failure, thrown, retry, chance);
  }

  private static Duration delay(int attempt, RetryPolicy retry, double chance) {
    return ((Finish.RetryIn) decide(attempt, new IOException("x"), retry, chance)).delay();
  }

  @Test
  void aFixedBackoffIsConstant() {
    RetryPolicy fixed = RetryPolicy.fixed(Duration.ofSeconds(10));

    assertThat(delay(1, fixed, MIDDLE)).isEqualTo(Duration.ofSeconds(10));
    assertThat(delay(7, fixed, MIDDLE)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aLinearBackoffGrowsByItsStepUpToItsCap() {
    RetryPolicy linear =
        RetryPolicy.DEFAULT.backoff(Backoff.linear(Duration.ofSeconds(10), Duration.ofSeconds(35)));

    assertThat(delay(1, linear, MIDDLE)).isEqualTo(Duration.ofSeconds(10));
    assertThat(delay(3, linear, MIDDLE)).isEqualTo(Duration.ofSeconds(30));
    assertThat(delay(4, linear, MIDDLE)).isEqualTo(Duration.ofSeconds(35));
  }

  @Test
  void anExponentialBackoffMultipliesUpToItsCap() {
    RetryPolicy exponential = RetryPolicy.exponential(Duration.ofSeconds(1)).maxAttempts(1000);

    assertThat(delay(1, exponential, MIDDLE)).isEqualTo(Duration.ofSeconds(1));
    assertThat(delay(5, exponential, MIDDLE)).isEqualTo(Duration.ofSeconds(16));
    assertThat(delay(999, exponential, MIDDLE)).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void jitterMovesAWaitByAQuarterEitherWay() {
    RetryPolicy fixed = RetryPolicy.fixed(Duration.ofSeconds(100));

    assertThat(delay(1, fixed, 0)).isEqualTo(Duration.ofSeconds(75));
    assertThat(delay(1, fixed, 1)).isEqualTo(Duration.ofSeconds(125));
    assertThat(delay(1, fixed.jitter(0), 1)).isEqualTo(Duration.ofSeconds(100));
  }

  @Test
  void afterTheLastAttemptThereIsNoRetry() {
    RetryPolicy three = RetryPolicy.DEFAULT.maxAttempts(3);

    assertThat(decide(2, new IOException("x"), three, MIDDLE)).isInstanceOf(Finish.RetryIn.class);
    assertThat(decide(3, new IOException("x"), three, MIDDLE)).isInstanceOf(Finish.Dead.class);
    assertThat(decide(1, new IOException("x"), RetryPolicy.NEVER, MIDDLE))
        .isInstanceOf(Finish.Dead.class);
  }

  @Test
  void rulesAreTriedInOrderAndMatchSubtypes() {
    RetryPolicy rules =
        RetryPolicy.fixed(Duration.ofSeconds(1))
            .neverOn(FileNotFoundException.class)
            .on(IOException.class, Backoff.fixed(Duration.ofSeconds(50)))
            .neverOn("DECLINED");

    assertThat(decide(1, new FileNotFoundException("x"), rules, MIDDLE))
        .isInstanceOf(Finish.Dead.class);
    assertThat(delay(1, rules, MIDDLE)).isEqualTo(Duration.ofSeconds(50));
    assertThat(decide(1, new TaskFailure("DECLINED", "x"), rules, MIDDLE))
        .isInstanceOf(Finish.Dead.class);
    assertThat(decide(1, new TaskFailure("OTHER", "x"), rules, MIDDLE))
        .isInstanceOf(Finish.RetryIn.class);
  }

  @Test
  void retryLaterIsNoFailureEvenOnTheLastAttempt() {
    assertThat(
            decide(10, new RetryLater(Duration.ofMinutes(3), "busy"), RetryPolicy.DEFAULT, MIDDLE))
        .isEqualTo(new Finish.Later(HELD, Duration.ofMinutes(3)));
  }

  @Test
  void aFailureReportIsTrimmedAndContainsOnlyStorableText() {
    Finish.Failure failure =
        FailureReport.of(
            1, FailureCode.TASK_FAILED, new IllegalStateException("a\0b" + "x".repeat(9_000)), "n");

    assertThat(failure.message()).doesNotContain("\0").hasSizeLessThan(2_100);
    assertThat(failure.stackTrace()).hasSizeLessThan(4_100);
  }

  @Test
  void anExceptionWhoseMessageCannotBeReadIsReported() {
    RuntimeException broken =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no message for you");
          }
        };

    assertThat(FailureReport.of(1, FailureCode.TASK_FAILED, broken, "n").message())
        .contains("could not be read");
  }

  private static Finish mismatch(int attempt, RetryPolicy retry, boolean elsewhere, boolean step) {
    return RetryDecision.onMismatch(
        HELD,
        FailureReport.of(attempt, FailureCode.JOURNAL_MISMATCH, "x", "node"),
        retry,
        elsewhere,
        step);
  }

  private static Duration again(int attempt, boolean elsewhere, boolean step) {
    return ((Finish.RetryIn) mismatch(attempt, RetryPolicy.DEFAULT, elsewhere, step)).delay();
  }

  @Test
  void aJournalThatAnotherNodeMayMatchIsLeftToIt() {
    RetryPolicy once = RetryPolicy.DEFAULT.maxAttempts(1);

    assertThat(mismatch(1, once, true, false)).isInstanceOf(Finish.RetryIn.class);
    assertThat(again(9, true, false)).isEqualTo(Duration.ofSeconds(1));
    assertThat(again(9, true, true)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aJournalThatNoNodeMatchesFailsAPlainJobAndStrandsAStep() {
    assertThat(mismatch(1, RetryPolicy.DEFAULT, false, false)).isInstanceOf(Finish.Dead.class);
    assertThat(again(1, false, true)).isEqualTo(Duration.ofMinutes(1));
    assertThat(again(3, false, true)).isEqualTo(Duration.ofMinutes(3));
    assertThat(again(99, false, true)).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aRuleCanFailAStepWhoseJournalDoesNotMatch() {
    RetryPolicy never = RetryPolicy.DEFAULT.neverOn(FailureCode.JOURNAL_MISMATCH);

    assertThat(mismatch(1, never, true, true)).isInstanceOf(Finish.Dead.class);
    assertThat(mismatch(1, never, false, true)).isInstanceOf(Finish.Dead.class);
  }
}
