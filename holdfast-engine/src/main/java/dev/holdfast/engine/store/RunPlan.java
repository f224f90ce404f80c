package dev.holdfast.engine.store;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an advance does to a run: a value that a {@link RunPlanner} computes and a store carries out
 * in the transaction in which it read the run.
 *
 * @param state the new state. If it has ended, the run leaves the table of open runs, and its
 *     parent is given its summary and a mark
 * @param steps one letter for each step
 * @param reason why it is paused, being cancelled, or failed; null otherwise
 * @param jobs the jobs to create
 * @param children the child runs to create
 * @param maps the maps to create or change: their total and how many jobs were created for them.
 *     The counts of ended jobs are those of the facts and are not changed
 * @param timers the timers to set
 * @param untimed the steps whose timers are to be deleted; -1 for the deadline of the run
 * @param stopped the steps whose jobs and child runs are to be cancelled. What has not started ends
 *     at once and is marked, so that a later advance sees it
 * @param results results that come from no job. They replace the result of a job, and the result of
 *     a job that ends later does not replace them. A map that has ended has one without an output,
 *     since its output is made of those of its jobs
 * @param consumed the signals that steps have used, by step
 * @param events what happened, in order
 * @param result the encoded result of a run that succeeded; null for none
 * @param summary the encoded summary for the parent, if the run has ended and has one
 * @param more whether another advance is needed, because the plan is limited in size or something
 *     must be read first: the store leaves a LOOK mark, also for a run that is only being started
 */
public record RunPlan(
    RunState state,
    RunPhase phase,
    String steps,
    @Nullable String reason,
    List<Job> jobs,
    List<NewRun> children,
    Map<Integer, MapSize> maps,
    List<Timer> timers,
    Set<Integer> untimed,
    Set<Integer> stopped,
    List<Result> results,
    Map<Integer, RunData.Signal> consumed,
    List<Event> events,
    @Nullable String result,
    @Nullable String summary,
    boolean more) {

  /**
   * A job to create.
   *
   * @param job the job, whose stamp names the step. If it has the id of a {@link
   *     RunFacts.FormerJob}, that job is continued: it keeps its journal, and its token continues
   */
  public record Job(int step, int item, NewJob job) {}

  /**
   * The size of a map.
   *
   * @param total how many elements its list has
   * @param inserted for how many of them jobs exist, including those of this plan
   */
  public record MapSize(int total, int inserted) {}

  /**
   * A timer to set.
   *
   * @param step the step; -1 for the run as a whole
   * @param kind the kind of mark that it leaves when it is due: SLEPT, TIMED_OUT or DEADLINE
   * @param in the time until then
   */
  public record Timer(int step, RunMark.Kind kind, Duration in) {}

  /**
   * The result of a step that comes from no job, or is taken over from another run.
   *
   * @param outcome SUCCEEDED, FAILED or CANCELLED
   * @param output the encoded output; null for none
   * @param failure why it failed; null if it did not
   */
  public record Result(
      int step,
      int item,
      StepState outcome,
      @Nullable String output,
      RunData.@Nullable Failure failure) {}

  /**
   * Something that happened.
   *
   * @param step the step; -1 for the run as a whole
   * @param detail more about it; null for none
   */
  public record Event(RunEvent.Kind kind, int step, @Nullable String detail) {}
}
