package dev.holdfast.engine.store;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.Started;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores new runs. */
public interface RunIntake {

  /**
   * The result of a start.
   *
   * @param id the new or existing run
   * @param queued whether it was created and nothing of its first plan was carried out: it waits
   *     for others to end, or has just been let through its gate and has a mark
   * @param started the jobs of its first steps that are RUNNING now, under the incarnation of the
   *     caller
   * @param stopping the incarnations that hold jobs of runs which it replaces
   */
  record Admission(
      RunId id,
      Started.Outcome outcome,
      boolean queued,
      List<ClaimedJob> started,
      Set<UUID> stopping) {
    public Admission(RunId id, Started.Outcome outcome, boolean queued, List<ClaimedJob> started) {
      this(id, outcome, queued, started, Set.of());
    }

    public Admission(RunId id, Started.Outcome outcome, boolean queued) {
      this(id, outcome, queued, List.of());
    }

    /** Returns this result with other incarnations that hold jobs of runs which it replaces. */
    public Admission stopping(Set<UUID> holders) {
      return new Admission(id, outcome, queued, started, holders);
    }
  }

  /**
   * A signal to send together with a start.
   *
   * @param id distinguishes this signal from others of the same name
   * @param payload the encoded payload; null for none
   */
  record NewSignal(String name, String id, @Nullable String payload) {}

  /**
   * Writes a run and what its start does, or finds the existing one: in one transaction. If the
   * gate is full, the run is QUEUED, nothing of its first plan is carried out, and a mark lets it
   * be planned when there is room.
   *
   * @param signal sent to the run, new or existing, but to none if the gate skips the start; null
   *     for none
   * @param here which of the jobs of its first steps start at once. A store may leave all of them
   *     to claims
   * @throws RetiredDefinitionException if the graph must be registered again
   * @throws dev.holdfast.api.DuplicateJobException if the unique key is taken and specifies failing
   */
  Admission start(NewRun run, @Nullable NewSignal signal, StartHere here);

  /** Writes a run as above, and starts none of its jobs. */
  default Admission start(NewRun run, @Nullable NewSignal signal) {
    return start(run, signal, StartHere.NOTHING);
  }
}
