package dev.holdfast.api;

import dev.holdfast.api.task.TaskStatus;
import java.util.List;
import java.util.Optional;

/** Limits tasks and manages their circuit breakers, for the whole cluster. */
public interface Tasks {

  /**
   * Limits how many jobs of a task are claimed or running at the same time in the whole cluster. By
   * default, there is no limit.
   *
   * @param most the limit, at least 1
   */
  void limit(String task, int most);

  /**
   * Removes the limit of a task.
   *
   * @return whether it had one
   */
  boolean unlimit(String task);

  /**
   * Closes the circuit breaker of a task immediately, without waiting for a trial job to succeed.
   *
   * @return whether it was open
   */
  boolean closeBreaker(String task);

  /**
   * Finds a task.
   *
   * @return the task; empty if it has no limit, and no circuit breaker that has counted failures
   */
  Optional<TaskStatus> find(String task);

  /** Lists the tasks that have a limit, or a circuit breaker that has counted failures. */
  List<TaskStatus> list();
}
