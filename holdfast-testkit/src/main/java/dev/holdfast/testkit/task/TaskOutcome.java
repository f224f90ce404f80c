package dev.holdfast.testkit.task;

import dev.holdfast.api.run.RetryLater;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, and what a node would do next.
 *
 * @param <R> the type of the result
 */
public sealed interface TaskOutcome<R> {

  /**
   * The attempt succeeded.
   *
   * @param result the result, encoded and decoded as for a client that awaits it; null for none
   */
  record Succeeded<R>(@Nullable R result) implements TaskOutcome<R> {}

  /**
   * The attempt failed, and the job would be retried.
   *
   * @param thrown what the handler threw
   * @param code its failure code
   * @param delay how long the job would wait, without jitter
   */
  record Retried<R>(Throwable thrown, String code, Duration delay) implements TaskOutcome<R> {}

  /**
   * The attempt failed, and the job would be dead-lettered.
   *
   * @param thrown what the handler threw, or why its result cannot be stored
   * @param code its failure code
   */
  record DeadLettered<R>(Throwable thrown, String code) implements TaskOutcome<R> {}

  /**
   * The handler asked to run later: the job would be due again after a delay, without using an
   * attempt.
   *
   * @param thrown what the handler threw
   * @param delay how long the job would wait
   */
  record Postponed<R>(RetryLater thrown, Duration delay) implements TaskOutcome<R> {}

  /**
   * The attempt was told to stop before it ended: a node would ignore how it ended.
   *
   * @param thrown what the handler threw; null if it returned
   */
  record Stopped<R>(@Nullable Throwable thrown) implements TaskOutcome<R> {}

  /**
   * Returns the result of an attempt that succeeded; null if it has none.
   *
   * @throws AssertionError if it did not succeed; its cause is what the handler threw
   */
  default @Nullable R result() {
    throw new AssertionError(
        "The attempt has no result, because it did not succeed: " + this, exception().orElse(null));
  }

  /** Returns what the handler threw; empty if it returned. */
  default Optional<Throwable> exception() {
    return switch (this) {
      case Succeeded<R> done -> Optional.empty();
      case Retried<R> failed -> Optional.of(failed.thrown());
      case DeadLettered<R> failed -> Optional.of(failed.thrown());
      case Postponed<R> later -> Optional.of(later.thrown());
      case Stopped<R> stopped -> Optional.ofNullable(stopped.thrown());
    };
  }

  /** Returns the failure code; empty if the attempt did not fail. */
  default Optional<String> failureCode() {
    return switch (this) {
      case Retried<R> failed -> Optional.of(failed.code());
      case DeadLettered<R> failed -> Optional.of(failed.code());
      case Succeeded<R> done -> Optional.empty();
      case Postponed<R> later -> Optional.empty();
      case Stopped<R> stopped -> Optional.empty();
    };
  }

  /** Returns after which delay the job would run again; empty if it would not. */
  default Optional<Duration> runsAgainIn() {
    return switch (this) {
      case Retried<R> failed -> Optional.of(failed.delay());
      case Postponed<R> later -> Optional.of(later.delay());
      case Succeeded<R> done -> Optional.empty();
      case DeadLettered<R> failed -> Optional.empty();
      case Stopped<R> stopped -> Optional.empty();
    };
  }
}
