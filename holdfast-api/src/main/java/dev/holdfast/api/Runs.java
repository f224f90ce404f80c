package dev.holdfast.api;

import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Starter;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts, finds, awaits and controls runs.
 *
 * <p>Operations on a run that does not exist throw an {@link UnknownRunException}, and operations
 * that its state does not allow throw a {@link RunStateException}. Nothing was changed then. The
 * same operations on jobs return a result instead. Jobs are many and short: that one has started or
 * ended in the meantime is normal, and a caller decides by the result. A run is controlled one at a
 * time and on purpose, and a refusal that is overlooked would leave it in a state that the caller
 * does not expect.
 */
public interface Runs extends Starter {

  /**
   * Starts a run of a workflow that this program does not define, by its name. The run gets the
   * graph of that name that was stored last.
   *
   * @param workflow the name of the workflow, which a node or a client has registered
   * @param input the input, encoded as the nodes expect it, usually as JSON
   * @throws UnknownWorkflowException if no workflow has that name
   * @throws IllegalArgumentException if the input is not valid; nothing was written
   */
  Started<Object> start(String workflow, String input, RunOptions options);

  /** Finds a run in any state, with its steps; empty if it does not exist or is no longer kept. */
  Optional<Run> find(RunId id);

  /** Lists runs, newest first. Their steps have states, but no inputs, outputs and attempts. */
  List<Run> list(RunFilter filter, Page<RunId> page);

  /**
   * Counts runs by state, at most 10,000 in each: {@link Counts#more} names the states of which
   * there are, or may be, more.
   */
  Counts<RunState> count(RunFilter filter);

  /**
   * Lists the events of a run, oldest first. Their key is their {@linkplain RunEvent#seq number}.
   */
  List<RunEvent> events(RunId id, Page<Long> page);

  /**
   * Lists the elements of a map in the order of its list, with their labels and states: at most
   * 10,000. Empty if the list of the map cannot be read yet.
   *
   * @param step the name of the map
   * @throws IllegalArgumentException if the run has no such step, or it is no map
   */
  List<RunItem> items(RunId id, String step);

  /**
   * Waits until a run has ended and returns its result.
   *
   * @return the result; null if the workflow has none
   * @throws RunFailedException if the run failed or was cancelled
   * @throws AwaitTimeoutException if the run has not ended in time
   * @throws InterruptedException if the calling thread is interrupted
   */
  <R> @Nullable R await(RunId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException;

  /** Waits until a run has ended and returns its result. */
  default <R> @Nullable R await(Started<R> run, Duration atMost) throws InterruptedException {
    return await(run.id(), run.resultType(), atMost);
  }

  /**
   * Returns a stage that completes with the result of a run, or exceptionally with what {@link
   * #await(RunId, TypeRef, Duration) await} would throw. It blocks no thread of the caller. Closing
   * the client completes it with a {@link java.util.concurrent.CancellationException}.
   *
   * @param atMost how long to wait
   */
  <R> CompletionStage<@Nullable R> awaitAsync(RunId id, TypeRef<R> resultType, Duration atMost);

  /**
   * Returns a stage that completes with the result of a run.
   *
   * @see #awaitAsync(RunId, TypeRef, Duration)
   */
  default <R> CompletionStage<@Nullable R> awaitAsync(Started<R> run, Duration atMost) {
    return awaitAsync(run.id(), run.resultType(), atMost);
  }

  /**
   * Pauses a run and its child runs: no step starts until it is resumed. Steps that are running
   * continue. A paused run stays as it is.
   */
  void pause(RunId id);

  /** Resumes a paused run and its child runs. A step that failed stays failed. */
  void resume(RunId id);

  /**
   * Cancels a run and its child runs. Jobs that have not started are cancelled, and those that run
   * are interrupted; then compensations and finally steps run. A run that is being cancelled stays
   * as it is.
   *
   * @param reason why, for the record
   */
  void cancel(RunId id, String reason);

  /**
   * Retries the failed and cancelled steps of a run that failed, was cancelled or is paused, and
   * everything after them. Steps that succeeded keep their outputs and do not run again.
   */
  void retry(RunId id);

  /**
   * Starts a new run from the results of another one: steps before the given ones keep their
   * outputs, the others run again.
   *
   * @param from the names of the steps to run again; empty for all steps
   * @param input the new input, encoded; null for that of the original run
   * @throws IllegalArgumentException if a step does not exist, or the input is not valid; nothing
   *     was written
   */
  default RunId rerun(RunId id, List<String> from, @Nullable String input) {
    return rerun(id, new RerunOptions(from, input, Map.of()));
  }

  /**
   * Starts a new run from the results of another one: steps before the given ones keep their
   * outputs, unless the options replace them, and the others run again.
   */
  default RunId rerun(RunId id, Consumer<RerunOptions.Builder> changes) {
    return rerun(id, RerunOptions.of(changes));
  }

  /**
   * Starts a new run from the results of another one, with its tags, label and priority: steps
   * before the given ones keep their outputs, unless the options replace them, and the others run
   * again.
   *
   * @throws IllegalArgumentException if a step does not exist, its output cannot be replaced
   *     because it runs again, was skipped or is a map, or the input or an output is not valid;
   *     nothing was written
   */
  RunId rerun(RunId id, RerunOptions options);

  /**
   * Sends a signal to a run. A signal that is sent before a step awaits it is kept for that step.
   *
   * @param signal the name of the signal
   * @param payload the payload; null for none
   */
  default void signal(RunId id, String signal, @Nullable Object payload) {
    signal(id, signal, payload, options -> {});
  }

  /** Sends a signal to a run. */
  void signal(
      RunId id, String signal, @Nullable Object payload, Consumer<SignalOptions.Builder> changes);

  /**
   * Sends a signal to the active run with a unique key, and starts that run first if there is none:
   * both in one transaction. If that start is skipped because of {@code maxActive}, the outcome is
   * {@code SKIPPED} and the signal is not sent: the active run has another key.
   */
  default <I, R> Started<R> signalOrStart(
      Workflow<I, R> workflow, I input, String uniqueKey, String signal, @Nullable Object payload) {
    return signalOrStart(workflow, input, uniqueKey, signal, payload, options -> {});
  }

  /**
   * Sends a signal to the active run with a unique key, and starts that run first if there is none:
   * both in one transaction. With an id, a repeated call sends the signal once to that run. If the
   * start is skipped because of {@code maxActive}, the outcome is {@code SKIPPED} and the signal is
   * not sent: the active run has another key.
   */
  <I, R> Started<R> signalOrStart(
      Workflow<I, R> workflow,
      I input,
      String uniqueKey,
      String signal,
      @Nullable Object payload,
      Consumer<SignalOptions.Builder> changes);

  /**
   * Moves an open run to another version of its workflow.
   *
   * @param hash the hash of the graph to move to, which must be registered
   * @param dryRun whether only to return what would differ
   * @return what differs, one line each
   */
  List<String> move(RunId id, String hash, boolean dryRun);

  /**
   * Finds runs that are inconsistent with their jobs, repairs them, and continues them in the same
   * call: steps that depend on a repaired one are started or skipped even while no node is alive.
   * Nodes do this regularly; call it after manual changes of the database.
   *
   * @return what was repaired, one line each
   */
  List<String> recoverStuck();
}
