package dev.holdfast.api.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When and how often failed attempts are retried. Policies are immutable: each method returns a
 * changed copy.
 *
 * <pre>{@code
 * RetryPolicy policy =
 *     RetryPolicy.exponential(Duration.ofSeconds(1))
 *         .maxAttempts(6)
 *         .neverOn("CARD_DECLINED")
 *         .neverOn(IllegalArgumentException.class)
 *         .on("RATE_LIMITED", Backoff.fixed(Duration.ofMinutes(1)));
 * }</pre>
 *
 * @param maxAttempts how many attempts in total, including the first; 1 to 1000
 * @param backoff how long to wait between attempts
 * @param jitter by which share a wait may differ from the backoff: 0.25 for up to 25 % shorter or
 *     longer
 * @param rules exceptions to the backoff; the first match wins
 */
public record RetryPolicy(int maxAttempts, Backoff backoff, double jitter, List<Rule> rules) {

  /**
   * Ten attempts over about two and a half hours: the first wait is 2 seconds, each further one is
   * three times as long, up to one hour; 25 % jitter.
   */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(
          10,
          new Backoff.Exponential(Duration.ofSeconds(2), 3, Duration.ofHours(1)),
          0.25,
          List.of());

  /** One attempt, no retries. */
  public static final RetryPolicy NEVER = DEFAULT.maxAttempts(1);

  /** A rule for particular failures. */
  public sealed interface Rule {
    /** Returns how long to wait before the next attempt; empty to give up. */
    Optional<Backoff> backoff();

    /**
     * A rule for failures with a code.
     *
     * @param code the failure code
     * @param backoff how long to wait; empty to give up
     */
    record OnCode(String code, Optional<Backoff> backoff) implements Rule {
      /** Checks the code. */
      public OnCode {
        FailureCode.checked(code);
      }
    }

    /**
     * A rule for exceptions of a type, including subclasses. It can be set only on a task type:
     * jobs are stored without class names.
     *
     * @param type the type of the exception
     * @param backoff how long to wait; empty to give up
     */
    record OnType(Class<? extends Throwable> type, Optional<Backoff> backoff) implements Rule {}
  }

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is not valid
   */
  public RetryPolicy {
    if (maxAttempts < 1 || maxAttempts > 1000) {
      throw new IllegalArgumentException(
          "A maximum of %d attempts is not valid: give 1 to 1000.".formatted(maxAttempts));
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException(
          "A jitter of %s is not valid: give 0 to 1, such as 0.25.".formatted(jitter));
    }
    rules = List.copyOf(rules);
  }

  /** Returns the {@linkplain #DEFAULT default policy} with the same wait after each failure. */
  public static RetryPolicy fixed(Duration delay) {
    return DEFAULT.backoff(Backoff.fixed(delay));
  }

  /**
   * Returns the {@linkplain #DEFAULT default policy} with waits that grow by {@code step} with each
   * failure, up to one hour.
   */
  public static RetryPolicy linear(Duration step) {
    return DEFAULT.backoff(Backoff.linear(step, Duration.ofHours(1)));
  }

  /**
   * Returns the {@linkplain #DEFAULT default policy} with waits that double with each failure, up
   * to one hour.
   */
  public static RetryPolicy exponential(Duration first) {
    return DEFAULT.backoff(Backoff.exponential(first, 2, Duration.ofHours(1)));
  }

  /**
   * Returns this policy with another maximum of attempts, including the first. After the last one
   * the job is dead-lettered. More attempts survive longer outages, but dead-letter hopeless jobs
   * later. Defaults to 10.
   *
   * @param most 1 to 1000
   */
  public RetryPolicy maxAttempts(int most) {
    return new RetryPolicy(most, backoff, jitter, rules);
  }

  /**
   * Returns this policy with another backoff. Defaults to an exponential one: 2 seconds, three
   * times as long with each failure, up to one hour.
   */
  public RetryPolicy backoff(Backoff other) {
    return new RetryPolicy(maxAttempts, other, jitter, rules);
  }

  /**
   * Returns this policy with another jitter: the share by which a wait may be shorter or longer
   * than the backoff. It spreads the retries of jobs that failed together; with zero they all run
   * again at the same moment. Defaults to 0.25.
   *
   * @param share 0 to 1
   */
  public RetryPolicy jitter(double share) {
    return new RetryPolicy(maxAttempts, backoff, share, rules);
  }

  /**
   * Returns this policy with a rule that dead-letters jobs that fail with this code, without
   * further attempts. Earlier rules take precedence. Defaults to no rules.
   */
  public RetryPolicy neverOn(String code) {
    return plus(new Rule.OnCode(code, Optional.empty()));
  }

  /**
   * Returns this policy with a rule that dead-letters jobs whose handler throws an exception of
   * this type, without further attempts. Earlier rules take precedence. Defaults to no rules.
   */
  public RetryPolicy neverOn(Class<? extends Throwable> type) {
    return plus(new Rule.OnType(type, Optional.empty()));
  }

  /**
   * Returns this policy with another backoff for failures with this code. Earlier rules take
   * precedence. Defaults to no rules.
   */
  public RetryPolicy on(String code, Backoff other) {
    return plus(new Rule.OnCode(code, Optional.of(other)));
  }

  /**
   * Returns this policy with another backoff for exceptions of this type. Earlier rules take
   * precedence. Defaults to no rules.
   */
  public RetryPolicy on(Class<? extends Throwable> type, Backoff other) {
    return plus(new Rule.OnType(type, Optional.of(other)));
  }

  private RetryPolicy plus(Rule rule) {
    List<Rule> longer = new ArrayList<>(rules);
    longer.add(rule);
    return new RetryPolicy(maxAttempts, backoff, jitter, longer);
  }
}
