package dev.holdfast.engine.run;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.policy.RetryPolicy.Rule;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what follows from the outcome of an attempt. Pure: the random number is a parameter. */
public final class RetryDecision {
  /** Time for a claim in progress on this node to end, so that it does not claim the job again. */
  private static final Duration HANDED_OVER = Duration.ofSeconds(1);

  /** The delay before the first of the attempts of a step whose journal no live node matches. */
  private static final Duration STRANDED = Duration.ofMinutes(1);

  /** How many times this delay the attempts are apart in the end. */
  private static final int MOST_STRANDED = 10;

  private RetryDecision() {}

  /** Returns the failure code of an exception. */
  public static String codeOf(Throwable thrown) {
    return switch (thrown) {
      case TaskFailure failure -> failure.code();
      case InterruptedException interrupted -> FailureCode.INTERRUPTED;
      default -> FailureCode.TASK_FAILED;
    };
  }

  /**
   * Decides what follows from a failure.
   *
   * @param chance a number from 0 to 1 that places the delay within its jitter
   */
  public static Finish onFailure(
      ClaimId held,
      Finish.Failure failure,
      @Nullable Throwable thrown,
      RetryPolicy retry,
      double chance) {
    if (thrown instanceof RetryLater later) {
      return new Finish.Later(held, later.delay());
    }
    if (isHopeless(failure.code(), thrown) || failure.attempt() >= retry.maxAttempts()) {
      return new Finish.Dead(held, failure);
    }
    for (Rule rule : retry.rules()) {
      if (matches(rule, failure.code(), thrown)) {
        return again(held, failure, rule.backoff(), retry.jitter(), chance);
      }
    }
    return again(held, failure, Optional.of(retry.backoff()), retry.jitter(), chance);
  }

  /**
   * Decides what follows when a node cannot read the payload of a job. As long as another node may
   * be able to, the job is left to that node, no matter how many attempts its policy allows.
   *
   * @param readElsewhere whether another node may be able to read it
   */
  static Finish onUnreadable(
      ClaimId held,
      Finish.Failure failure,
      RetryPolicy retry,
      boolean readElsewhere,
      double chance) {
    Finish finish = onFailure(held, failure, null, retry, chance);
    return readElsewhere && !isRuledOut(failure.code(), retry)
        ? new Finish.RetryIn(held, HANDED_OVER, failure)
        : finish;
  }

  /**
   * Decides what follows when the journal of a job does not match the code of a node. As long as
   * the code of another node may match, the job is left to that node. If there is none, a plain job
   * is dead-lettered. The job of a step stays, so that its run is stranded and has not failed: it
   * is tried again at long intervals, since a node whose code matches may be started.
   *
   * @param matchesElsewhere whether the code of another node may match
   * @param isStep whether the job executes a step of a run
   */
  static Finish onMismatch(
      ClaimId held,
      Finish.Failure failure,
      RetryPolicy retry,
      boolean matchesElsewhere,
      boolean isStep) {
    if (isRuledOut(failure.code(), retry) || (!matchesElsewhere && !isStep)) {
      return new Finish.Dead(held, failure);
    }
    Duration delay =
        matchesElsewhere
            ? HANDED_OVER
            : STRANDED.multipliedBy(Math.clamp(failure.attempt(), 1, MOST_STRANDED));
    return new Finish.RetryIn(held, delay, failure);
  }

  /** Returns whether a rule says that this failure is never retried. */
  private static boolean isRuledOut(String code, RetryPolicy retry) {
    return retry.rules().stream()
        .filter(rule -> matches(rule, code, null))
        .findFirst()
        .filter(rule -> rule.backoff().isEmpty())
        .isPresent();
  }

  private static boolean isHopeless(String code, @Nullable Throwable thrown) {
    return thrown instanceof CodecException
        || code.equals(FailureCode.BAD_RESULT)
        || code.equals(FailureCode.OUTPUT_TOO_LARGE)
        || code.equals(FailureCode.JOURNAL_MISMATCH);
  }

  private static boolean matches(Rule rule, String code, @Nullable Throwable thrown) {
    return switch (rule) {
      case Rule.OnCode onCode -> onCode.code().equals(code);
      case Rule.OnType onType -> onType.type().isInstance(thrown);
    };
  }

  private static Finish again(
      ClaimId held,
      Finish.Failure failure,
      Optional<Backoff> backoff,
      double jitter,
      double chance) {
    if (backoff.isEmpty()) {
      return new Finish.Dead(held, failure);
    }
    return new Finish.RetryIn(
        held, jittered(backoff.get().after(failure.attempt()), jitter, chance), failure);
  }

  /** Returns a delay changed by up to the given fraction in either direction. */
  public static Duration jittered(Duration wait, double jitter, double chance) {
    double factor = 1 + jitter * (2 * chance - 1);
    return Duration.ofMillis(Math.round(wait.toMillis() * factor));
  }
}
