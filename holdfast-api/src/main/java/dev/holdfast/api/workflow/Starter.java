package dev.holdfast.api.workflow;

import java.util.function.Consumer;

/**
 * Starts runs: in a transaction per call ({@link dev.holdfast.api.Runs}), or inside your own
 * transaction ({@link dev.holdfast.api.TransactionScope}).
 */
public interface Starter {

  /**
   * Starts a run. When this method returns, the run and the jobs of its first steps are durable;
   * inside your own transaction, they are durable when that transaction commits.
   *
   * @throws IllegalArgumentException if the input is not valid; nothing was written
   * @throws dev.holdfast.api.StoreException if the database could not be reached in time
   */
  <I, R> Started<R> start(Workflow<I, R> workflow, I input, RunOptions options);

  /** Starts a run without options. */
  default <I, R> Started<R> start(Workflow<I, R> workflow, I input) {
    return start(workflow, input, RunOptions.DEFAULTS);
  }

  /**
   * Starts a run.
   *
   * <pre>{@code
   * Workflow<Welcome, Void> greet =
   *     Workflow.define("users::greet", Welcome.class, flow -> flow.step("mail", WELCOME, flow.input()));
   * holdfast.runs().start(greet, welcome, run -> run.unique(UniqueKey.whileActive("ada")).tags("web"));
   * }</pre>
   */
  default <I, R> Started<R> start(
      Workflow<I, R> workflow, I input, Consumer<RunOptions.Builder> changes) {
    return start(workflow, input, RunOptions.of(changes));
  }
}
