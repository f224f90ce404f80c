package dev.holdfast.engine.store;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes, cancels, retries, signals and moves runs. Each operation is one transaction that
 * locks the run, and with it the runs below it, before any of their jobs.
 */
public interface RunControl {

  /**
   * The result of an operation.
   *
   * @param before the state in which the run was found; empty if it does not exist
   * @param done whether the operation was carried out; false if the state does not allow it, or if
   *     there was nothing to do
   * @param look the runs that have marks now and should be advanced
   * @param ready how many jobs became READY, by queue
   * @param stopping the incarnations that hold jobs whose cancellation was requested
   */
  record Result(
      Optional<RunState> before,
      boolean done,
      Set<RunId> look,
      Map<String, Integer> ready,
      Set<UUID> stopping) {}

  /**
   * Pauses a RUNNING run and the runs below it: their SCHEDULED, READY, CLAIMED and WAITING jobs
   * become ON_HOLD. From then on no transition makes one of their jobs startable.
   */
  Result pause(RunId id, String reason);

  /** Resumes a PAUSED run and the runs below it: jobs on hold continue where they were. */
  Result resume(RunId id);

  /**
   * Cancels an open run and the runs below it. A QUEUED run ends at once. Otherwise it becomes
   * CANCELLING; jobs that have not started end CANCELLED, and the cancellation of those that run is
   * requested.
   */
  Result cancel(RunId id, String reason);

  /**
   * Reopens a FAILED or CANCELLED run, or continues a PAUSED one: the given steps are open again.
   * Failed child runs of these steps, and failed and cancelled jobs of maps, are retried, if the
   * step {@linkplain Reset#continues continues}; those that succeeded are kept; the letter of such
   * a step is A instead. Otherwise, and if it failed as {@link RunData.Failure#RUN_TOO_LARGE}, the
   * step starts from the beginning. The jobs of other failed steps are kept until the steps start
   * again, see {@link RunFacts#former}. What is deleted no longer counts towards the size of the
   * run. Refused for a child run, since its parent has used its outcome.
   *
   * @param reset computes which steps are open again, from the letters of all steps and the id of
   *     the graph
   */
  Result retry(RunId id, Reset reset);

  /** Computes which steps a retry opens again. */
  @FunctionalInterface
  interface Reset {
    /** Returns the new letters, given the id of the graph and the letters. */
    String steps(int definition, String letters);

    /**
     * Returns whether a failed map or child run continues at once, given the new letters: not if it
     * must wait for another step first, whose output may differ this time.
     */
    default boolean continues(int definition, int step, String letters) {
      return true;
    }

    /** Returns how long a step may take that continues with its jobs or its child run. */
    default Optional<Duration> timeout(int definition, int step) {
      return Optional.empty();
    }
  }

  /**
   * Sends a signal to an open run, unless one with this name and id was sent before.
   *
   * @return done is false if the run has ended, or the signal was sent before
   */
  Result signal(RunId id, RunIntake.NewSignal signal);

  /**
   * How to move a run to another graph.
   *
   * @param seen the letters of its steps as the caller read them
   * @param definition the id of the new graph
   * @param steps the letters in the order of the new graph
   * @param positions the old position of each step that exists in both graphs, by new position
   * @param jobs how the jobs of steps that have started are run from now on, by new position; only
   *     for those that differ
   */
  record Move(
      String seen,
      int definition,
      String steps,
      Map<Integer, Integer> positions,
      Map<Integer, MovedJobs> jobs) {}

  /**
   * How the jobs of a step are run.
   *
   * @param policy null for that of the task
   */
  record MovedJobs(String task, String queue, @Nullable String policy) {}

  /**
   * Moves an open run to another graph, if it has not changed since the caller read it. Jobs of its
   * steps that no node holds are run as the new graph says; their payloads stay.
   *
   * @throws RetiredDefinitionException if the graph must be registered again; nothing was changed
   */
  Result move(RunId id, Move move);

  /** Lists the child runs of a run that exist, by id. */
  List<RunId> children(RunId id);
}
