package dev.holdfast.api;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to enqueue one job.
 *
 * @param type the task to run
 * @param payload the payload to pass to the handler of the task
 * @param options how to run the job
 * @param id the id of the job; null to generate one. Set it to make an enqueue repeatable across
 *     restarts of your program
 * @param <P> the type of the payload
 * @param <R> the type of the result
 */
public record JobRequest<P, R>(
    TaskType<P, R> type, P payload, JobOptions options, @Nullable JobId id) {

  /** Returns a request with the default options of the task. */
  public static <P, R> JobRequest<P, R> of(TaskType<P, R> type, P payload) {
    return new JobRequest<>(type, payload, type.defaults(), null);
  }

  /**
   * Returns a request that overrides some default options of the task.
   *
   * @param changes sets the options that differ from the defaults of the task
   */
  public static <P, R> JobRequest<P, R> of(
      TaskType<P, R> type, P payload, Consumer<JobOptions.Builder> changes) {
    return new JobRequest<>(type, payload, type.defaults().with(changes), null);
  }

  /** Returns the same request with changed options. */
  public JobRequest<P, R> with(Consumer<JobOptions.Builder> changes) {
    return new JobRequest<>(type, payload, options.with(changes), id);
  }

  /**
   * Returns the same request with your own job id. Enqueueing it again creates no second job. By
   * default, each enqueue generates a new id.
   */
  public JobRequest<P, R> withId(JobId own) {
    return new JobRequest<>(type, payload, options, own);
  }
}
