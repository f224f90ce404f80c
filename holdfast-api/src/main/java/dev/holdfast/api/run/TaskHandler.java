package dev.holdfast.api.run;

import org.jspecify.annotations.Nullable;

/**
 * Executes the jobs of a task.
 *
 * <pre>{@code
 * TaskHandler<Order, Receipt> handler = (order, context) -> shop.charge(order);
 * }</pre>
 *
 * <p>A task without a result has a {@link VoidTaskHandler}, which returns nothing.
 *
 * <p>A handler must be idempotent: it can be called more than once for a job, because after a
 * crash, a timeout or a lost connection it is not known how far the previous attempt came. It
 * should respond to interruption, which signals cancellation, a timeout, the shutdown of the node
 * or the loss of the claim. The outcome of an interrupted attempt is ignored: a cancelled job ends
 * CANCELLED, an attempt that timed out fails, and all other jobs run again.
 *
 * @param <P> the type of the payload
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface TaskHandler<P, R> {

  /**
   * Executes a job.
   *
   * @param payload the payload of the job
   * @param context the current attempt
   * @return the result; null if the task has none
   * @throws TaskFailure to fail with your own failure code
   * @throws RetryLater to run the job again later, without using an attempt
   * @throws Exception to fail; the retry policy determines what happens next
   */
  @Nullable R handle(P payload, TaskContext context) throws Exception;
}
