package dev.holdfast.engine.store;

import dev.holdfast.api.workflow.RunId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds runs that are inconsistent with their jobs, and repairs them. */
public interface RunRepair {

  /**
   * The result of one call.
   *
   * @param last the last run that was looked at, to continue after; null if none is left
   * @param repairs what was repaired, one line each
   * @param look the runs that have marks now and should be advanced
   */
  record Report(@Nullable RunId last, List<String> repairs, Set<RunId> look) {}

  /**
   * Looks at open runs in the order of their ids, at most the given number, and repairs what is
   * inconsistent, checked again under the lock of the run:
   *
   * <ul>
   *   <li>an active step without a job or result gets one: that of its dead-lettered job, or {@code
   *       WORKER_CRASHED}; {@code TASK_CANCELLED} for a cancelled job; otherwise {@code
   *       RESULT_NOT_AVAILABLE}
   *   <li>an active step whose child run has ended gets the result of the child
   *   <li>a run in which nothing is active, waiting or marked gets a mark
   *   <li>a startable job of a paused run is put on hold; a job on hold of an active run is
   *       released
   *   <li>jobs of runs that do not exist are cancelled, and such marks deleted
   * </ul>
   *
   * @param after the run to continue after; null to start with the first
   */
  Report repair(@Nullable RunId after, int limit);
}
