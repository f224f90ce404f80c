package dev.holdfast.api.run;

import org.jspecify.annotations.Nullable;

/**
 * Wraps every attempt of a node, for concerns that all tasks share: a transaction, a tenant, a
 * security context, timing.
 *
 * <pre>{@code
 * AttemptInterceptor timed =
 *     attempt -> {
 *       long start = System.nanoTime();
 *       try {
 *         return attempt.proceed();
 *       } finally {
 *         System.out.println(attempt.context().task() + ": " + (System.nanoTime() - start));
 *       }
 *     };
 * }</pre>
 *
 * <p>The first interceptor of a node is the outermost. What an interceptor returns is the result of
 * the attempt, and what it throws fails the attempt, as if the handler had done so. It runs on the
 * thread of the handler, counts towards the timeout, and is interrupted with it.
 */
@FunctionalInterface
public interface AttemptInterceptor {

  /** The attempt that is intercepted. */
  interface Attempt {
    /** Returns the context that the handler receives. */
    TaskContext context();

    /** Returns the decoded payload. */
    Object payload();

    /**
     * Runs the next interceptor or the handler. Call it once; an interceptor that does not call it
     * keeps the handler from running.
     *
     * @return the result; null if the task has none
     * @throws Exception what the handler throws
     */
    @Nullable Object proceed() throws Exception;
  }

  /**
   * Runs around an attempt.
   *
   * @return the result of the attempt, which must have the type that the task declares; usually
   *     that of {@link Attempt#proceed}
   * @throws Exception to fail the attempt
   */
  @Nullable Object intercept(Attempt attempt) throws Exception;
}
