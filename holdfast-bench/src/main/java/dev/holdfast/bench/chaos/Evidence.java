package dev.holdfast.bench.chaos;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a run left behind.
 *
 * @param acknowledged the jobs whose enqueue was answered
 * @param ended the books, with one entry for each row
 * @param live the jobs that have not ended
 * @param effects what tasks did, in any order
 */
record Evidence(Set<UUID> acknowledged, List<Ended> ended, Set<UUID> live, List<Effect> effects) {

  /** What the state of a job that went to the dead letter is called. */
  static final String FAILED = "FAILED";

  /** A job that has ended, under the token that ended it. */
  record Ended(UUID job, long token, String state) {}

  /**
   * Something a task did.
   *
   * @param process which process did it
   * @param last whether it was the last thing the attempt had to do
   * @param nanos when it was decided, on the clock that all processes of a machine share: read
   *     before the task last looked whether it is to stop, so that a process which was stopped
   *     between looking and doing is not blamed for what nothing but the effect's own system can
   *     prevent
   */
  record Effect(UUID job, long token, String process, boolean last, long nanos) {}
}
