package dev.holdfast.api.task;

import org.jspecify.annotations.Nullable;

/**
 * The code of a task.
 *
 * <p>It may be run more than once for one job: after a crash, a timeout or a lost connection nobody
 * can know how far it got. It should respond to interruption, which is how cancellation, timeouts,
 * the end of its node and loss of the claim reach it. What it returns or throws after that does not
 * count: a cancelled job ends cancelled, one that timed out fails, and all others run again.
 */
@FunctionalInterface
public interface TaskHandler<P, R> {

  /**
   * Do the work.
   *
   * @return the result, or null where the task has none
   * @throws TaskFailure to fail with a code of one's own
   * @throws RetryLater to be called again later at no cost
   * @throws Exception to fail; the retry policy decides what happens next
   */
  @Nullable R handle(P payload, TaskContext context) throws Exception;
}
