package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Moves runs forward. Several nodes may do so at the same time: each locks the runs that it
 * advances and skips those that others have locked.
 */
public interface RunAdvance {

  /**
   * The result of one call.
   *
   * @param advanced how many runs were advanced
   * @param ready how many jobs became READY, by queue
   * @param ended the runs that ended
   * @param next runs that need another advance at once: parents of runs that ended, child runs,
   *     runs whose plan was limited in size, and runs let through a gate
   * @param locked runs that another call has locked. It may have read their marks before the last
   *     one was written, so they must be tried again
   * @param nextTimer how long until the next timer that this call has set is due; empty for none
   * @param stopping the incarnations that hold jobs whose cancellation was requested
   * @param seqs the number of the last event of each run that was advanced and is still open
   */
  record Report(
      int advanced,
      Map<String, Integer> ready,
      Map<RunId, RunState> ended,
      Set<RunId> next,
      Set<RunId> locked,
      Optional<Duration> nextTimer,
      Set<UUID> stopping,
      Map<RunId, Long> seqs) {}

  /**
   * Finds runs that have marks, at most the given number, in no particular order. A mark that was
   * written more than a few seconds ago may be left out by most calls, but not for longer than
   * about a minute.
   */
  List<RunId> marked(int limit);

  /**
   * Advances those of the given runs that have marks and that no other call has locked: in one
   * transaction, reads their marks, deletes them, and carries out what the planner returns. Runs
   * without marks and runs that have ended are left alone.
   *
   * <p>A run whose outcome was written before this call is seen in the state that includes it:
   * marks are read after the lock, in a later statement.
   */
  Report advance(Collection<RunId> runs, RunPlanner planner);

  /**
   * A run that is open.
   *
   * @param facts the run, without marks
   * @param seq the number of its last event
   * @param jobs the given jobs and the steps that they execute now: moving a run to another graph
   *     changes the positions of its steps
   * @param child whether another run has started it and waits for its end
   */
  record Seen(RunFacts facts, long seq, Map<JobId, Integer> jobs, boolean child) {}

  /**
   * Reads the runs of jobs that execute steps, without locking them, so that the success of a step
   * can be planned before it is stored, see {@link #express}. Jobs of maps are left out, and runs
   * whose next plan needs more than their row and the outputs of their steps: those that are not
   * RUNNING or not in their main phase, that have marks or maps, or that were retried.
   *
   * @param planner learns the graphs of these runs
   */
  List<Seen> look(Collection<JobId> jobs, RunPlanner planner);

  /**
   * A step that has succeeded, with the plan for what follows, computed before the success is
   * stored.
   *
   * @param finish the success of its job, which is no job of a map
   * @param seq the number of the last event of the run that the plan takes into account
   * @param plan what follows: it starts jobs and records events, and the run continues to be
   *     RUNNING; or the run succeeds. It has nothing else, see {@link #isExpress} and {@link
   *     #isLast}
   */
  record Express(Finish.Succeeded finish, RunId run, long seq, RunPlan plan) {

    /** Returns whether the run ends with this step. */
    public boolean ends() {
      return plan.state().hasEnded();
    }

    /** Returns whether a plan does nothing but end its run, and so its timers, with success. */
    public static boolean isLast(RunPlan plan) {
      return plan.state() == RunState.SUCCEEDED && plan.jobs().isEmpty() && isSimple(plan);
    }

    /** Returns whether a plan is simple enough to be carried out together with a success. */
    public static boolean isExpress(RunPlan plan) {
      return plan.state() == RunState.RUNNING
          && plan.phase() == RunPhase.MAIN
          && isSimple(plan)
          && plan.untimed().isEmpty()
          && plan.jobs().stream().noneMatch(job -> LargePayload.isIn(job.job()));
    }

    private static boolean isSimple(RunPlan plan) {
      return plan.reason() == null
          && plan.children().isEmpty()
          && plan.maps().isEmpty()
          && plan.timers().isEmpty()
          && plan.stopped().isEmpty()
          && plan.results().isEmpty()
          && plan.consumed().isEmpty()
          && !plan.more();
    }
  }

  /**
   * Stores successes and carries out the plans for what follows, in one transaction and without
   * marks. Each is guarded by state, incarnation and token of its job, and by the number of the
   * last event of its run, which must be RUNNING and not locked by another call: every change of a
   * run adds an event, so the plan is up to date. If one of these has changed, nothing is written
   * for that run, and its success can be stored as usual. The same applies if a run would end that
   * has a parent or a gate, which must be notified.
   *
   * @param steps at most one for each run
   * @param here which of the jobs that follow start at once, under the same incarnation
   */
  Expressed express(UUID incarnation, List<Express> steps, StartHere here);

  /**
   * The result of {@link #express}.
   *
   * @param stored the claims whose success was stored. After a lost reply they are recognised by
   *     {@link Outcomes#finish}
   * @param started the jobs that are RUNNING now, under the incarnation of the caller
   */
  record Expressed(Set<ClaimId> stored, List<ClaimedJob> started) {}

  /**
   * The result of {@link #fireTimers}.
   *
   * @param fired the runs whose timers were due: each has a mark now
   * @param more whether the limit was reached
   * @param next how long until the next timer is due; empty if there is none
   * @param open whether any run is open
   */
  record Timers(Set<RunId> fired, boolean more, Optional<Duration> next, boolean open) {}

  /** Replaces timers that are due by marks, at most the given number. */
  Timers fireTimers(int limit);
}
