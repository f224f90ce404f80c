package dev.holdfast.api.task;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobOptions;
import java.util.function.UnaryOperator;

/**
 * What a producer and a handler agree on: the task's name, what goes in, what comes out, and how
 * its jobs are run unless they say otherwise.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 * static final TaskType<Welcome, Void> WELCOME = TaskType.of("email::welcome", Welcome.class);
 * }</pre>
 *
 * @param name the task's name; it is what rows carry, so changing it orphans the jobs that wait
 * @param payload the type of the payload, by choice a record
 * @param result the type of the result, {@code Void} for none
 * @param defaults the options of its jobs
 */
public record TaskType<P, R>(String name, Class<P> payload, Class<R> result, JobOptions defaults) {

  public TaskType {
    Names.task(name);
    if (defaults.unique() != null) {
      throw new IllegalArgumentException(
          "Task '%s' cannot have a unique key by default, since all its jobs would share it: give the key when enqueueing."
              .formatted(name));
    }
  }

  /** A task without a result. */
  public static <P> TaskType<P, Void> of(String name, Class<P> payload) {
    return new TaskType<>(name, payload, Void.class, JobOptions.DEFAULTS);
  }

  /** A task with a result. */
  public static <P, R> TaskType<P, R> of(String name, Class<P> payload, Class<R> result) {
    return new TaskType<>(name, payload, result, JobOptions.DEFAULTS);
  }

  /** The same task with other defaults for its jobs. */
  public TaskType<P, R> with(UnaryOperator<JobOptions.Builder> changes) {
    return new TaskType<>(name, payload, result, defaults.with(changes));
  }
}
