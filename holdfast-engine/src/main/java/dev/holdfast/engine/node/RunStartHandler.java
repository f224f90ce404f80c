package dev.holdfast.engine.node;

import dev.holdfast.api.Runs;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.run.Context;
import dev.holdfast.engine.workflow.StoredRuns;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs for schedules, triggers and jobs. A run has the id of the job that starts it, so a
 * job that is retried starts no second one.
 */
final class RunStartHandler<I, R> implements TaskHandler<I, String> {
  private final Workflow<I, R> workflow;

  RunStartHandler(Workflow<I, R> workflow) {
    this.workflow = workflow;
  }

  @Override
  public String handle(I input, TaskContext context) {
    RunOptions options =
        RunOptions.of(run -> run.id(new RunId(context.jobId().value())).tags(context.tags()));
    Runs runs = context.client().runs();
    Started<R> started =
        runs instanceof StoredRuns stored
            ? stored.startFor(context.jobId(), workflow, input, options, cause(context))
            : runs.start(workflow, input, options);
    return started.id().toString();
  }

  private static @Nullable JobCause cause(TaskContext context) {
    return context instanceof Context own
        ? JobCause.read(own.job().policy(), own.job().payload()).orElse(null)
        : null;
  }
}
