package dev.holdfast.engine.node;

import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.run.Context;
import dev.holdfast.engine.workflow.StoredRuns;

/**
 * Starts runs of a workflow whose graph is stored, without its code. A run has the id of the job
 * that starts it, so a job that is retried starts no second one.
 *
 * @param graph the hash of the graph
 */
record StoredRunStartHandler(String graph) implements TaskHandler<Object, String> {
  @Override
  public String handle(Object decoded, TaskContext context) {
    if (context instanceof Context own && context.client().runs() instanceof StoredRuns runs) {
      RunOptions options =
          RunOptions.of(run -> run.id(new RunId(context.jobId().value())).tags(context.tags()));
      String payload = own.job().payload();
      JobCause cause = JobCause.read(own.job().policy(), payload).orElse(null);
      return runs.startFor(
              context.jobId(), graph, payload == null ? "null" : payload, options, cause)
          .id()
          .toString();
    }
    throw new IllegalStateException(
        "Runs of a stored graph can be started only on a node with a database.");
  }
}
