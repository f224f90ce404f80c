package dev.holdfast.api.run;

import org.jspecify.annotations.Nullable;

/**
 * Executes the jobs of a task without a result.
 *
 * <pre>{@code
 * VoidTaskHandler<Welcome> handler = (welcome, context) -> mailer.send(welcome.email());
 * }</pre>
 *
 * <p>The rules of {@link TaskHandler} apply.
 *
 * @param <P> the type of the payload
 */
@FunctionalInterface
public interface VoidTaskHandler<P> extends TaskHandler<P, Void> {

  /**
   * Executes a job.
   *
   * @param payload the payload of the job
   * @param context the current attempt
   * @throws TaskFailure to fail with your own failure code
   * @throws RetryLater to run the job again later, without using an attempt
   * @throws Exception to fail; the retry policy determines what happens next
   */
  void run(P payload, TaskContext context) throws Exception;

  @Override
  default @Nullable Void handle(P payload, TaskContext context) throws Exception {
    run(payload, context);
    return null;
  }
}
