package dev.holdfast.engine.store;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run as a store read it, open or ended.
 *
 * @param hash the hash of its graph
 * @param steps one letter for each step
 * @param endedAt null for an open run
 * @param source the stack of its jobs, and what started it
 * @param priority the priority of its jobs; null for that of each step
 */
public record RunRow(
    RunId id,
    String workflow,
    int definition,
    String hash,
    RunState state,
    RunPhase phase,
    String steps,
    @Nullable String reason,
    @Nullable String input,
    @Nullable String result,
    @Nullable String label,
    Set<String> tags,
    @Nullable String uniqueKey,
    @Nullable StepRef parent,
    @Nullable RunId origin,
    Instant createdAt,
    @Nullable Instant endedAt,
    long bytes,
    RunSource source,
    @Nullable Integer priority) {

  /**
   * What belongs to a run besides its row.
   *
   * @param results the results of steps, without those of the jobs of maps
   * @param jobs the live jobs of its steps, without those of maps, and the ended ones that are
   *     still kept
   * @param maps the counts of its maps, by step
   * @param children its child runs, by step
   * @param timers when timers of its steps are due, by step
   * @param marked whether it has marks
   */
  public record Details(
      List<Result> results,
      Map<Integer, Job> jobs,
      Map<Integer, RunFacts.MapCounts> maps,
      Map<Integer, RunId> children,
      Map<Integer, Instant> timers,
      boolean marked) {}

  /**
   * The stored result of a step.
   *
   * @param job the job that it comes from; null for none
   * @param startedAt when the last attempt started; null for none
   */
  public record Result(
      int step,
      StepState outcome,
      int attempt,
      @Nullable JobId job,
      @Nullable Instant startedAt,
      Instant finishedAt,
      @Nullable String output,
      RunData.@Nullable Failure failure) {}
}
