package dev.holdfast.testkit.node;

import dev.holdfast.api.job.JobId;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@link TestNode#drain} ran. It counts attempts, so a job that failed, was retried and
 * succeeded within one drain counts twice.
 *
 * @param succeeded how many attempts succeeded
 * @param postponed how many attempts asked to run later, with {@link
 *     dev.holdfast.api.run.RetryLater} or a {@linkplain dev.holdfast.api.run.DurableSteps durable
 *     step} that waits
 * @param cancelled how many attempts were cancelled
 * @param failures the attempts that failed, in the order in which they ended
 */
public record DrainResult(int succeeded, int postponed, int cancelled, List<Failure> failures) {

  /**
   * An attempt that failed.
   *
   * @param job the id of the job
   * @param task the name of its task
   * @param attempt the number of the attempt, from 1
   * @param code the failure code
   * @param message the message of the exception
   * @param stackTrace its stack trace; null if there is none
   * @param retried whether the job is retried; otherwise it was dead-lettered
   */
  public record Failure(
      JobId job,
      String task,
      int attempt,
      String code,
      String message,
      @Nullable String stackTrace,
      boolean retried) {

    /** Returns a sentence for the message of a failed assertion. */
    public String describe() {
      return "Attempt %d of job %s (%s) failed with %s and %s: %s"
          .formatted(
              attempt,
              job,
              task,
              code,
              retried ? "is retried" : "was dead-lettered",
              stackTrace == null ? message : stackTrace.strip());
    }
  }

  /** Copies the failures. */
  public DrainResult {
    failures = List.copyOf(failures);
  }

  /** Returns how many attempts ended. */
  public int attempts() {
    return succeeded + postponed + cancelled + failures.size();
  }

  /** Returns how many attempts failed and are retried. */
  public int retried() {
    return (int) failures.stream().filter(Failure::retried).count();
  }

  /** Returns how many jobs failed permanently and were dead-lettered. */
  public int deadLettered() {
    return failures.size() - retried();
  }

  /**
   * Returns this result, if no attempt failed.
   *
   * @throws AssertionError if one did; the message contains the stack trace of each
   */
  public DrainResult orThrow() {
    if (!failures.isEmpty()) {
      throw new AssertionError(
          "%d of %d attempts failed:%n%s"
              .formatted(
                  failures.size(),
                  attempts(),
                  failures.stream()
                      .map(Failure::describe)
                      .collect(Collectors.joining(System.lineSeparator()))));
    }
    return this;
  }
}
