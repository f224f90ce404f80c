package dev.holdfast.server.api;

import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;

/** Checks the task and workflow patterns of keys. */
final class Patterns {
  private Patterns() {}

  /** A task that starts runs needs the workflow too. */
  static void requireTask(Call call, String task) {
    if (!call.caller().mayUseTask(task)) {
      throw Code.FORBIDDEN.because("The key may not use task '%s'.", task);
    }
    if (StarterTask.is(task)) {
      requireWorkflow(call, StarterTask.workflow(task));
    }
  }

  static void requireWorkflow(Call call, String workflow) {
    if (!call.caller().mayUseWorkflow(workflow)) {
      throw Code.FORBIDDEN.because("The key may not use workflow '%s'.", workflow);
    }
  }

  /** For what affects all tasks, such as a queue. */
  static void requireAll(Call call) {
    if (call.caller().isRestricted()) {
      throw Code.FORBIDDEN.because(
          "The key is limited to some tasks or workflows, and this affects all of them.");
    }
  }
}
