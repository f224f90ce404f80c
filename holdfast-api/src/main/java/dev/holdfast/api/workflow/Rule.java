package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.trigger.Condition;
import java.util.Arrays;
import java.util.List;

/**
 * Decides whether a step runs or is skipped, once all its dependencies have ended. It is data: it
 * is stored with the definition of the workflow.
 *
 * <pre>{@code
 * Rule highValue = Rule.all(Rule.noneFailed(), Rule.context(Condition.field("total").isGreaterThan(100)));
 * }</pre>
 */
public sealed interface Rule {

  /** All dependencies succeeded. The default; a step without dependencies always runs. */
  record AllSucceeded() implements Rule {}

  /** At least one dependency succeeded. */
  record AnySucceeded() implements Rule {}

  /** All dependencies ended, in whatever way. */
  record AllDone() implements Rule {}

  /** No dependency failed or was cancelled; skipped ones do not matter. */
  record NoneFailed() implements Rule {}

  /** At least one dependency failed or was cancelled. */
  record AnyFailed() implements Rule {}

  /**
   * At least this number of dependencies succeeded.
   *
   * @param count the number, at least 1
   */
  record Quorum(int count) implements Rule {
    /** Checks the number. */
    public Quorum {
      if (count < 1) {
        throw new IllegalArgumentException(
            "A quorum of %d is not valid: give at least 1.".formatted(count));
      }
    }
  }

  /**
   * One step ended in a certain way.
   *
   * @param step the name of the step, which must be a dependency
   * @param outcome how it ended
   */
  record Ended(String step, Outcome outcome) implements Rule {
    /** Checks the name. */
    public Ended {
      Names.step(step);
    }
  }

  /** How a step ended, for {@link Ended}. */
  enum Outcome {
    /** It succeeded. */
    SUCCEEDED,
    /** It failed or was cancelled. */
    FAILED,
    /** It was skipped. */
    SKIPPED
  }

  /**
   * A value of the context meets a condition.
   *
   * @param condition the condition, evaluated on the context of the step
   */
  record OnContext(Condition condition) implements Rule {}

  /**
   * All of these rules hold.
   *
   * @param rules the rules, at least one
   */
  record All(List<Rule> rules) implements Rule {
    /** Copies the rules. */
    public All {
      rules = checked(rules);
    }
  }

  /**
   * At least one of these rules holds.
   *
   * @param rules the rules, at least one
   */
  record Any(List<Rule> rules) implements Rule {
    /** Copies the rules. */
    public Any {
      rules = checked(rules);
    }
  }

  /**
   * None of these rules holds.
   *
   * @param rules the rules, at least one
   */
  record None(List<Rule> rules) implements Rule {
    /** Copies the rules. */
    public None {
      rules = checked(rules);
    }
  }

  /** Returns the rule that all dependencies succeeded. */
  static Rule allSucceeded() {
    return new AllSucceeded();
  }

  /** Returns the rule that at least one dependency succeeded. */
  static Rule anySucceeded() {
    return new AnySucceeded();
  }

  /** Returns the rule that all dependencies ended, in whatever way. */
  static Rule allDone() {
    return new AllDone();
  }

  /** Returns the rule that no dependency failed or was cancelled. */
  static Rule noneFailed() {
    return new NoneFailed();
  }

  /** Returns the rule that at least one dependency failed or was cancelled. */
  static Rule anyFailed() {
    return new AnyFailed();
  }

  /** Returns the rule that at least this number of dependencies succeeded. */
  static Rule quorum(int count) {
    return new Quorum(count);
  }

  /** Returns the rule that a step succeeded. */
  static Rule succeeded(Step<?> step) {
    return new Ended(step.name(), Outcome.SUCCEEDED);
  }

  /** Returns the rule that a step failed or was cancelled. */
  static Rule failed(Step<?> step) {
    return new Ended(step.name(), Outcome.FAILED);
  }

  /** Returns the rule that a step was skipped. */
  static Rule skipped(Step<?> step) {
    return new Ended(step.name(), Outcome.SKIPPED);
  }

  /** Returns the rule that a value of the context meets a condition. */
  static Rule context(Condition condition) {
    return new OnContext(condition);
  }

  /** Returns the rule that all of these rules hold. */
  static Rule all(Rule... rules) {
    return new All(Arrays.asList(rules));
  }

  /** Returns the rule that at least one of these rules holds. */
  static Rule any(Rule... rules) {
    return new Any(Arrays.asList(rules));
  }

  /** Returns the rule that none of these rules holds. */
  static Rule none(Rule... rules) {
    return new None(Arrays.asList(rules));
  }

  private static List<Rule> checked(List<Rule> rules) {
    if (rules.isEmpty()) {
      throw new IllegalArgumentException("A combined rule needs at least one rule.");
    }
    return List.copyOf(rules);
  }
}
