package dev.holdfast.engine.store;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.TaskStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rules of tasks: how many may run in the whole cluster, and whether they are left alone. */
public interface TaskStore {

  /**
   * What a Claimer must heed.
   *
   * @param limit how many jobs of the task the cluster may hold; null for any number
   * @param shut how much longer its breaker lets nothing through; null if it is closed
   */
  record Rule(@Nullable Integer limit, @Nullable Duration shut) {
    /** No rule: claim freely. */
    public static final Rule NONE = new Rule(null, null);
  }

  /**
   * Attempts of one task that ended.
   *
   * @param breaker when to open; it counts for this report only, since nodes may differ
   * @param failed those that failed
   * @param succeeded those that succeeded; only needed while the breaker is not closed
   */
  record Attempts(
      String task, CircuitBreaker breaker, List<ClaimId> failed, List<ClaimId> succeeded) {
    public Attempts {
      failed = List.copyOf(failed);
      succeeded = List.copyOf(succeeded);
    }
  }

  /** What a report did to a breaker. */
  enum Turn {
    NONE,
    OPENED,
    CLOSED
  }

  /**
   * The answer to a report.
   *
   * @param rule the rule of the task from now on
   */
  record Noted(Turn turn, Rule rule) {}

  void limit(String task, @Nullable Integer most);

  /**
   * Count failures, and heed how the job ended that an open breaker let through. A repeat after a
   * lost answer would count failures twice, but turns the breaker once. A report of nothing asks
   * for the rule.
   */
  Noted report(Attempts attempts);

  /**
   * Close a breaker and forget its failures.
   *
   * @return whether it was open
   */
  boolean closeBreaker(String task);

  /** The rules in force, by task; a task without an entry has none. */
  Map<String, Rule> rules();

  /** Every task that has a limit, or a breaker that has counted failures, by name. */
  List<TaskStatus> list();
}
