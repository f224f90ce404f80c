package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.StepDefinition.Work;

/**
 * A step that waits for a signal. Its output is the payload of the signal.
 *
 * @param <R> the type of the payload
 */
public final class SignalStep<R> extends Step<R> {

  SignalStep(String name, TypeRef<R> type, Work.AwaitSignal work) {
    super(name, type, work, JobOptions.DEFAULTS);
  }

  /**
   * Sets the output of the step if no signal arrives {@linkplain Step#within in time}. Defaults to
   * failing as {@code TIMED_OUT}.
   */
  public SignalStep<R> orElse(R value) {
    Work.AwaitSignal signal = (Work.AwaitSignal) work;
    this.work = new Work.AwaitSignal(signal.signal(), signal.payload(), value);
    return this;
  }
}
