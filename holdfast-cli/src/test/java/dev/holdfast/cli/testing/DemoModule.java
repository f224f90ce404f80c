package dev.holdfast.cli.testing;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;

/** What the servers of the tests run. */
public final class DemoModule implements TaskModule {
  private static final TaskType<Object, Object> ECHO =
      TaskType.of("cli::echo", Object.class, Object.class);
  private static final TaskType<Object, Void> FAIL =
      TaskType.of("cli::fail", Object.class).with(job -> job.retry(RetryPolicy.NEVER));

  private static final Workflow<Object, Object> CHAIN =
      Workflow.defineWithResult(
          "cli::chain",
          Object.class,
          flow -> flow.step("second", ECHO, flow.step("first", ECHO, flow.input())));

  private static final Workflow<Object, Void> APPROVAL =
      Workflow.define(
          "cli::approval",
          Object.class,
          flow -> {
            Step<Object> before = flow.step("before", ECHO, flow.input());
            flow.step(
                "ship", ECHO, flow.awaitSignal("approval", "approved", Object.class).after(before));
          });

  private static final Workflow<Object, Void> FAILING =
      Workflow.define("cli::failing", Object.class, flow -> flow.step("fails", FAIL, flow.input()));

  @Override
  public void configure(Binder binder) {
    binder
        .handle(ECHO, (payload, context) -> payload)
        .handle(
            FAIL,
            (payload, context) -> {
              throw new IllegalStateException("No \u001b[31mboxes\nleft");
            })
        .workflow(CHAIN)
        .workflow(APPROVAL)
        .workflow(FAILING);
  }
}
