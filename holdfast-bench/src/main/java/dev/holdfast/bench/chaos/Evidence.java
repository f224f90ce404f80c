package dev.holdfast.bench.chaos;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The evidence that a run left behind.
 *
 * @param acknowledged the jobs whose enqueue call returned
 * @param ended the stored ended jobs, one entry for each row
 * @param live the jobs that have not ended
 * @param effects the effects of the tasks, in any order
 */
public record Evidence(
    Set<UUID> acknowledged, List<Ended> ended, Set<UUID> live, List<Effect> effects) {

  /** The state of a dead-lettered job. */
  public static final String FAILED = "FAILED";

  /** A job that has ended, with the fencing token that ended it. */
  public record Ended(UUID job, long token, String state) {}

  /**
   * One effect of a task.
   *
   * @param process the process that caused it
   * @param last whether it was the last effect of the attempt
   * @param nanos when it was decided, on the monotonic clock that all processes of a machine share.
   *     It is read before the task last checks whether it should stop, so that a process that is
   *     suspended between the check and the effect is not reported: only the system that the effect
   *     goes to can prevent that
   */
  public record Effect(UUID job, long token, String process, boolean last, long nanos) {}
}
