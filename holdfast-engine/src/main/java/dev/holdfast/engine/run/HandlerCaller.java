package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.run.TaskRegistry.Registered;
import java.util.List;

/** Calls the handler of a job inside the interceptors of the node, with its decoded payload. */
public final class HandlerCaller {
  private final TaskRegistry tasks;
  private final PayloadCodec codec;
  private final ContextServices services;
  private final AttemptChain interceptors;

  /**
   * @param services what contexts need
   * @param interceptors run around each handler, the first outermost
   */
  public HandlerCaller(
      TaskRegistry tasks,
      PayloadCodec codec,
      ContextServices services,
      List<AttemptInterceptor> interceptors) {
    this.tasks = tasks;
    this.codec = codec;
    this.services = services;
    this.interceptors = new AttemptChain(interceptors);
  }

  /** Calls the handler and returns how it ended. */
  AttemptOutcome call(HeldJob heldJob) {
    Context context = new Context(heldJob, services);
    try {
      AttemptOutcome outcome = call(heldJob, context, registered(heldJob));
      if (outcome instanceof AttemptOutcome.Returned) {
        context.steps().requireComplete();
      }
      return outcome;
    } catch (
        Throwable thrown) { // An Error of a handler costs its own job an attempt, not the node.
      Parked parked = context.steps().parked();
      if (parked != null) { // Even if the handler has caught it and thrown something else.
        return new AttemptOutcome.Waits(parked.finish());
      }
      return new AttemptOutcome.Threw(RetryDecision.codeOf(thrown), thrown);
    } finally {
      // At once: later steps, such as the end of a span, must not be interrupted, and a stop
      // request that arrives during them must not void what the handler did.
      heldJob.handlerReturned();
      context.close();
    }
  }

  private Registered<?, ?> registered(HeldJob heldJob) {
    return tasks
        .find(heldJob.job().task())
        .orElseThrow(() ->
            new IllegalStateException(
                "This node has no handler for task '%s': register one with NodeBuilder.handle before the node starts."
                    .formatted(heldJob.job().task())));
  }

  private <P, R> AttemptOutcome call(HeldJob heldJob, Context context, Registered<P, R> task)
      throws Exception {
    P payload;
    try {
      String text = heldJob.job().payload();
      payload = text == null ? null : codec.decode(text, task.type().payload());
    } catch (RuntimeException | LinkageError unreadable) { // A custom codec may throw anything.
      return new AttemptOutcome.Threw(FailureCode.BAD_PAYLOAD, unreadable);
    }
    if (payload == null) {
      return new AttemptOutcome.Threw(
          FailureCode.BAD_PAYLOAD,
          new IllegalArgumentException(
              "The payload is null, but task '%s' needs a %s: enqueue the job with a value."
                  .formatted(task.type().name(), task.type().payload().simpleName())));
    }
    return new AttemptOutcome.Returned(
        interceptors.run(context, payload, () -> task.handler().handle(payload, context)));
  }
}
