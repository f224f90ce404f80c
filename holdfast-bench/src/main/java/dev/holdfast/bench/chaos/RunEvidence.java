package dev.holdfast.bench.chaos;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.Evidence.Effect;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The evidence that the runs of workflows left behind.
 *
 * @param started the workflow of each run whose start was acknowledged
 * @param ended the stored runs that have ended
 * @param jobs the stored jobs of their steps, which have ended
 * @param bookings the jobs whose transactional step was committed, one entry for each time
 * @param effects the effects of all tasks, in any order
 */
record RunEvidence(
    Map<UUID, Workflow<?, ?>> started,
    List<EndedRun> ended,
    List<StepJob> jobs,
    List<UUID> bookings,
    List<Effect> effects) {

  /** The step of a run that started a child run. */
  record ParentStep(UUID run, int step) {}

  /**
   * A run that has ended.
   *
   * @param parent the step that started it; null for a run that a client started
   */
  record EndedRun(UUID id, String state, @Nullable ParentStep parent) {}

  /** The job of a step of a run, by the position of the step. */
  record StepJob(UUID job, UUID run, int step, String task) {}
}
