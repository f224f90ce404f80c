package dev.holdfast.api;

import dev.holdfast.api.task.TaskStatus;
import java.util.List;

/** Steer tasks for the whole cluster. */
public interface Tasks {

  /** Let the whole cluster hold at most so many jobs of this task at once. */
  void limit(String task, int most);

  /** Take the limit away again. */
  void unlimit(String task);

  /**
   * Close the breaker of this task now, instead of waiting for a job to prove that it may.
   *
   * @return whether it was open
   */
  boolean closeBreaker(String task);

  /** Every task that has a limit, or a breaker that has counted failures. */
  List<TaskStatus> list();
}
