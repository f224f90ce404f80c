package dev.holdfast.api.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When a failed attempt is tried again, as an immutable value.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1)).maxAttempts(6)
 *     .neverOn("CARD_DECLINED")
 *     .neverOn(IllegalArgumentException.class)
 *     .on("RATE_LIMITED", Backoff.fixed(Duration.ofMinutes(1)));
 * }</pre>
 *
 * @param maxAttempts how many attempts in all, the first included
 * @param backoff how long to wait between them
 * @param jitter how far a wait may differ from that, as a share: 0.25 for a quarter either way
 * @param rules exceptions from the backoff, first match wins
 */
public record RetryPolicy(int maxAttempts, Backoff backoff, double jitter, List<Rule> rules) {

  /** Ten attempts over about two and a half hours. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(
          10,
          new Backoff.Exponential(Duration.ofSeconds(2), 3, Duration.ofHours(1)),
          0.25,
          List.of());

  /** One attempt and no more. */
  public static final RetryPolicy NEVER = DEFAULT.maxAttempts(1);

  /** An answer to particular failures. */
  public sealed interface Rule {
    /** What to do; empty for never again. */
    Optional<Backoff> backoff();

    /** A rule for failures of one code. */
    record OnCode(String code, Optional<Backoff> backoff) implements Rule {
      public OnCode {
        FailureCode.checked(code);
      }
    }

    /** A rule for everything thrown that is of a type. It belongs to code and is never stored. */
    record OnType(Class<? extends Throwable> type, Optional<Backoff> backoff) implements Rule {}
  }

  public RetryPolicy {
    if (maxAttempts < 1 || maxAttempts > 1000) {
      throw new IllegalArgumentException(
          "%d attempts are not valid: give 1 to 1000.".formatted(maxAttempts));
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException(
          "A jitter of %s is not valid: give 0 to 1, such as 0.25.".formatted(jitter));
    }
    rules = List.copyOf(rules);
  }

  /** The default policy with the same wait every time. */
  public static RetryPolicy fixed(Duration delay) {
    return DEFAULT.backoff(Backoff.fixed(delay));
  }

  /** The default policy with waits that grow by a step, up to an hour. */
  public static RetryPolicy linear(Duration step) {
    return DEFAULT.backoff(Backoff.linear(step, Duration.ofHours(1)));
  }

  /** The default policy with waits that double, up to an hour. */
  public static RetryPolicy exponential(Duration first) {
    return DEFAULT.backoff(Backoff.exponential(first, 2, Duration.ofHours(1)));
  }

  public RetryPolicy maxAttempts(int most) {
    return new RetryPolicy(most, backoff, jitter, rules);
  }

  public RetryPolicy backoff(Backoff other) {
    return new RetryPolicy(maxAttempts, other, jitter, rules);
  }

  public RetryPolicy jitter(double share) {
    return new RetryPolicy(maxAttempts, backoff, share, rules);
  }

  /** Give up at once on failures of this code. */
  public RetryPolicy neverOn(String code) {
    return plus(new Rule.OnCode(code, Optional.empty()));
  }

  /** Give up at once when something of this type was thrown. */
  public RetryPolicy neverOn(Class<? extends Throwable> type) {
    return plus(new Rule.OnType(type, Optional.empty()));
  }

  /** Wait differently after failures of this code. */
  public RetryPolicy on(String code, Backoff other) {
    return plus(new Rule.OnCode(code, Optional.of(other)));
  }

  /** Wait differently when something of this type was thrown. */
  public RetryPolicy on(Class<? extends Throwable> type, Backoff other) {
    return plus(new Rule.OnType(type, Optional.of(other)));
  }

  private RetryPolicy plus(Rule rule) {
    List<Rule> longer = new ArrayList<>(rules);
    longer.add(rule);
    return new RetryPolicy(maxAttempts, backoff, jitter, longer);
  }
}
