package dev.holdfast.api.task;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.type.TypeRef;
import java.util.function.Consumer;

/**
 * Describes a task: its name, the types of its payload and result, and the default options of its
 * jobs. The code that enqueues a task and the code that registers its handler share one.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 * static final TaskType<Welcome, Void> WELCOME = TaskType.of("email::welcome", Welcome.class);
 * }</pre>
 *
 * @param name the name of the task: segments of lower-case letters, digits, {@code -} and {@code
 *     _}, joined by {@code ::}. Jobs are stored with this name, so after a change existing jobs
 *     find no handler
 * @param payload the type of the payload, preferably a record
 * @param result the type of the result, {@code Void} for none
 * @param defaults the default options of its jobs
 * @param <P> the type of the payload
 * @param <R> the type of the result
 */
public record TaskType<P, R>(
    String name, TypeRef<P> payload, TypeRef<R> result, JobOptions defaults) {

  /**
   * Checks the name and the defaults.
   *
   * @throws IllegalArgumentException if the name is not valid, or the defaults have a unique key
   */
  public TaskType {
    Names.task(name);
    if (defaults.unique() != null) {
      throw new IllegalArgumentException(
          "Task '%s' cannot have a default unique key, because all its jobs would share it: set the key on enqueue."
              .formatted(name));
    }
  }

  /** Returns a task without a result. */
  public static <P> TaskType<P, Void> of(String name, Class<P> payload) {
    return of(name, TypeRef.of(payload));
  }

  /** Returns a task without a result whose payload may be generic, such as {@code List<Order>}. */
  public static <P> TaskType<P, Void> of(String name, TypeRef<P> payload) {
    return of(name, payload, TypeRef.of(Void.class));
  }

  /** Returns a task with a result. */
  public static <P, R> TaskType<P, R> of(String name, Class<P> payload, Class<R> result) {
    return of(name, TypeRef.of(payload), TypeRef.of(result));
  }

  /** Returns a task with a result; both types may be generic. */
  public static <P, R> TaskType<P, R> of(String name, TypeRef<P> payload, TypeRef<R> result) {
    return new TaskType<>(name, payload, result, JobOptions.DEFAULTS);
  }

  /**
   * Returns this task with changed default options for its jobs.
   *
   * <pre>{@code
   * TaskType<Welcome, Void> patient =
   *     WELCOME.with(job -> job.queue("mail").timeout(Duration.ofMinutes(1)));
   * }</pre>
   *
   * <p>The queue, priority, tags, start-within time and crash policy of a job are taken from the
   * task type on enqueue. Unless the enqueue overrides them, the retry policy, the timeouts and how
   * long results are kept are taken from the task type that its handler is registered with.
   */
  public TaskType<P, R> with(Consumer<JobOptions.Builder> changes) {
    return new TaskType<>(name, payload, result, defaults.with(changes));
  }
}
