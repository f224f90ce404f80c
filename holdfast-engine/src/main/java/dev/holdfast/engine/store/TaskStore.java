package dev.holdfast.engine.store;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.TaskStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores the rules of tasks: how many jobs may run in the whole cluster, and the state of their
 * breakers.
 */
public interface TaskStore {

  /**
   * The rule of a task, which claims must follow.
   *
   * @param limit how many jobs of the task the cluster may hold; null for no limit
   * @param shut how much longer its breaker lets no job through; null if it is closed
   */
  record Rule(@Nullable Integer limit, @Nullable Duration shut) {
    /** No rule: claim without restriction. */
    public static final Rule NONE = new Rule(null, null);
  }

  /**
   * Ended attempts of one task.
   *
   * @param breaker when to open; it applies to this report only, since nodes may differ
   * @param failed the attempts that failed
   * @param succeeded the attempts that succeeded; only needed while the breaker is not closed
   */
  record Attempts(
      String task, CircuitBreaker breaker, List<ClaimId> failed, List<ClaimId> succeeded) {
    public Attempts {
      failed = List.copyOf(failed);
      succeeded = List.copyOf(succeeded);
    }
  }

  /** How a report changed a breaker. */
  enum Turn {
    NONE,
    OPENED,
    CLOSED
  }

  /**
   * The result of a report.
   *
   * @param rule the rule of the task from now on
   */
  record Noted(Turn turn, Rule rule) {}

  /** Sets the cluster-wide limit of a task; null removes it. */
  void limit(String task, @Nullable Integer most);

  /**
   * Counts failures, and evaluates how the job ended that an open breaker let through. A repeat
   * after a lost reply counts failures twice, but changes the breaker once. An empty report reads
   * the rule.
   */
  Noted report(Attempts attempts);

  /**
   * Closes a breaker and clears its failure count.
   *
   * @return whether it was open
   */
  boolean closeBreaker(String task);

  /** Returns the rules in force, by task; a task without an entry has none. */
  Map<String, Rule> rules();

  /** Lists every task that has a limit, or a breaker that has counted failures, by name. */
  List<TaskStatus> list();
}
