package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.StepDefinition.Work;

/**
 * A step that runs another workflow. Its output is a {@link RunSummary} of the child run, which
 * dependent steps find in their context under the name of this step.
 *
 * @param <R> the type of the result of the child
 */
public final class ChildStep<R> extends Step<RunSummary> {
  private final TypeRef<R> result;

  ChildStep(String name, Work.RunWorkflow work, TypeRef<R> result) {
    super(name, TypeRef.of(RunSummary.class), work, JobOptions.DEFAULTS);
    this.result = result;
  }

  /** Returns the result of the child run as the source of a payload. */
  public Source<R> result() {
    return new Source.Value<>(new Input.Output(name(), "result"), result);
  }
}
