package dev.holdfast.api;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A wish for one job, ready to be enqueued.
 *
 * @param type the task to run
 * @param payload what to hand it
 * @param options how to run it
 * @param id the id to give it; null for a fresh one. Give one to make an enqueue repeatable across
 *     restarts of the program that asks.
 */
public record JobRequest<P, R>(
    TaskType<P, R> type, P payload, JobOptions options, @Nullable JobId id) {

  /** A job with the defaults of its task. */
  public static <P, R> JobRequest<P, R> of(TaskType<P, R> type, P payload) {
    return new JobRequest<>(type, payload, type.defaults(), null);
  }

  /** A job with some of its task's defaults changed. */
  public static <P, R> JobRequest<P, R> of(
      TaskType<P, R> type, P payload, UnaryOperator<JobOptions.Builder> changes) {
    return new JobRequest<>(type, payload, type.defaults().with(changes), null);
  }

  /** The same wish under an id of the caller's own. */
  public JobRequest<P, R> withId(JobId own) {
    return new JobRequest<>(type, payload, options, own);
  }
}
