package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A step of a workflow, as a value.
 *
 * @param name its name, unique in the workflow
 * @param work what it does
 * @param after the names of its dependencies, in the order in which they were given
 * @param rule whether it runs or is skipped
 * @param onError what the run does when it has failed permanently
 * @param options how its jobs are run; not used by steps without jobs
 * @param timeout how long the step as a whole may take, from its start; null for no limit
 * @param label a display text, shown instead of the name; null for none
 * @param eager whether it runs as soon as its rule must hold, although dependencies are still open
 * @param isFinally whether it runs after all other steps, however the run ends
 * @param compensation the task that undoes this step; null for none
 */
public record StepDefinition(
    String name,
    Work work,
    Set<String> after,
    Rule rule,
    OnError onError,
    JobOptions options,
    @Nullable Duration timeout,
    @Nullable String label,
    boolean eager,
    boolean isFinally,
    @Nullable TaskType<?, ?> compensation) {

  /** Shortens the timeout to what a store can add to a time. */
  public StepDefinition {
    timeout = timeout == null ? null : Times.bounded(timeout);
  }

  /** What a step does. */
  public sealed interface Work {

    /** Returns where the payload, list or input comes from; empty for steps that only wait. */
    default Optional<Source.Input> input() {
      return switch (this) {
        case RunTask task -> Optional.of(task.payload());
        case MapTask map -> Optional.of(map.items());
        case RunWorkflow child -> Optional.of(child.childInput());
        case Sleep sleep -> Optional.empty();
        case AwaitSignal signal -> Optional.empty();
      };
    }

    /**
     * Runs a task, as one job.
     *
     * @param task the task
     * @param payload where its payload comes from
     */
    record RunTask(TaskType<?, ?> task, Source.Input payload) implements Work {}

    /**
     * Runs a task once for each element of a list, as one job each.
     *
     * @param task the task
     * @param items where the list comes from
     * @param concurrency how many of the jobs may exist at a time; 0 for no limit
     * @param tolerated how many of the jobs may fail before the step fails
     * @param itemLabel the path of a field of each element, whose value labels its job; null for
     *     none
     */
    record MapTask(
        TaskType<?, ?> task,
        Source.Input items,
        int concurrency,
        int tolerated,
        @Nullable String itemLabel)
        implements Work {}

    /**
     * Runs another workflow.
     *
     * @param workflow the workflow, whose graph is pinned with that of the parent
     * @param childInput where its input comes from
     */
    record RunWorkflow(Workflow<?, ?> workflow, Source.Input childInput) implements Work {}

    /**
     * Waits for a time.
     *
     * @param time how long
     */
    record Sleep(Duration time) implements Work {
      /** Shortens the time to what a store can add to a time. */
      public Sleep {
        time = Times.bounded(time);
      }
    }

    /**
     * Waits for a signal. If the timeout of the step passes first, the step fails, unless it has a
     * default.
     *
     * @param signal the name of the signal
     * @param payload the type of its payload
     * @param otherwise the output of the step if its timeout passes; null to fail
     */
    record AwaitSignal(String signal, TypeRef<?> payload, @Nullable Object otherwise)
        implements Work {}
  }
}
