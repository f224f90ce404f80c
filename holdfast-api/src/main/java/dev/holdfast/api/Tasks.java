package dev.holdfast.api;

import dev.holdfast.api.task.TaskStatus;
import java.util.List;

/** Limits tasks and manages their circuit breakers, for the whole cluster. */
public interface Tasks {

  /**
   * Limits how many jobs of a task are claimed or running at the same time in the whole cluster. By
   * default, there is no limit.
   *
   * @param most the limit, at least 1
   */
  void limit(String task, int most);

  /** Removes the limit of a task. */
  void unlimit(String task);

  /**
   * Closes the circuit breaker of a task immediately, without waiting for a trial job to succeed.
   *
   * @return whether it was open
   */
  boolean closeBreaker(String task);

  /** Lists the tasks that have a limit, or a circuit breaker that has counted failures. */
  List<TaskStatus> list();
}
