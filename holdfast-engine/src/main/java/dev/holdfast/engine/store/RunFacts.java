package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as an advance has read and locked it.
 *
 * @param definition the id of its graph
 * @param state its state: QUEUED runs are not advanced
 * @param steps one letter for each step, see {@link dev.holdfast.api.workflow.StepState}
 * @param input its encoded input; null for none
 * @param reason why it is paused, being cancelled or failing; null otherwise
 * @param priority the priority of its jobs; null for that of each step
 * @param source the stack of its jobs, and what started it
 * @param bytes the size of its outputs so far
 * @param marks what happened since the last advance
 * @param maps the maps that have started, by step, with the counts of the marks added
 * @param former the jobs of steps that failed before the run was retried, by step. A step that
 *     starts again with the same task and payload continues with its job, and so with its journal
 */
public record RunFacts(
    RunId id,
    int definition,
    RunState state,
    RunPhase phase,
    String steps,
    @Nullable String input,
    @Nullable String reason,
    @Nullable Integer priority,
    RunSource source,
    long bytes,
    List<RunMark> marks,
    Map<Integer, MapCounts> maps,
    Map<Integer, FormerJob> former) {

  /**
   * The job of a step that failed.
   *
   * @param payload its payload; null for none
   */
  public record FormerJob(JobId id, String task, @Nullable String payload) {}

  /**
   * The jobs of a map.
   *
   * @param total how many elements the list has
   * @param inserted for how many of them a job was created
   */
  public record MapCounts(int total, int inserted, int succeeded, int failed, int cancelled) {
    /** Returns how many jobs have been created and have not ended. */
    public int open() {
      return inserted - succeeded - failed - cancelled;
    }
  }

  public RunFacts {
    marks = List.copyOf(marks);
    maps = Map.copyOf(maps);
    former = Map.copyOf(former);
  }
}
