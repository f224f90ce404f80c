package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Pauses, resumes and cancels runs that the transaction has locked FOR UPDATE. */
final class RunStates {
  // By run_pkey. The reason of a run that was failing when it was paused comes back with the
  // resume.
  private static final String PAUSE =
      """
      update ${schema}.run set state = 'PAUSED', held_reason = reason, reason = :reason
      where id = any(:ids::uuid[]) and state = 'RUNNING'
      """;

  // By run_pkey.
  private static final String RESUME =
      """
      update ${schema}.run set state = 'RUNNING', reason = held_reason, held_reason = null
      where id = any(:ids::uuid[]) and state = 'PAUSED'
      """;

  // By run_pkey.
  private static final String CANCEL =
      """
      update ${schema}.run set
        state = 'CANCELLING', reason = :reason, held_reason = null,
        phase = case when phase in ('COMPENSATE', 'FINALLY') then phase else 'STOPPING' end
      where id = any(:ids::uuid[]) and state in ('RUNNING', 'PAUSED')
      """;

  // By run_timer_pkey.
  private static final String FORGET_TIMERS =
      "delete from ${schema}.run_timer where run_id = any(:ids::uuid[])";

  /**
   * What a cancellation did.
   *
   * @param look the runs that have marks now
   * @param ended the runs that ended at once
   * @param gates the gates that may have room
   */
  record Cancelled(
      Set<RunId> look,
      Set<RunId> ended,
      Set<UUID> gates,
      Map<String, Integer> ready,
      Set<UUID> stopping) {}

  private final StepJobs jobs;
  private final RunNotes notes;
  private final RunEndings endings;
  private final String pause;
  private final String resume;
  private final String cancel;
  private final String forgetTimers;

  RunStates(Database database, StepJobs jobs) {
    this.jobs = jobs;
    this.notes = new RunNotes(database);
    this.endings = new RunEndings(database);
    this.pause = database.sql(PAUSE);
    this.resume = database.sql(RESUME);
    this.cancel = database.sql(CANCEL);
    this.forgetTimers = database.sql(FORGET_TIMERS);
  }

  /** Pauses those of the runs that are RUNNING. */
  void pause(Handle handle, Collection<Locked> runs, String reason) {
    List<RunId> running = in(runs, RunState.RUNNING);
    if (!running.isEmpty()) {
      update(handle, pause, running, reason);
      jobs.hold(handle, running);
      notes.event(handle, running, RunEvent.Kind.PAUSED, reason);
    }
  }

  /** Resumes those of the runs that are PAUSED, and returns the jobs that are READY, by queue. */
  Map<String, Integer> resume(Handle handle, Collection<Locked> runs) {
    List<RunId> paused = in(runs, RunState.PAUSED);
    if (paused.isEmpty()) {
      return Map.of();
    }
    handle.createUpdate(resume).bindArray("ids", UUID.class, Columns.ids(paused)).execute();
    notes.event(handle, paused, RunEvent.Kind.RESUMED, null);
    notes.look(handle, paused);
    return jobs.release(handle, paused);
  }

  /**
   * Cancels runs. QUEUED ones end. The compensations and finally steps of a run that has come that
   * far are not cancelled, and continue if it was paused.
   */
  Cancelled cancel(Handle handle, Collection<Locked> runs, String reason) {
    List<RunId> queued = in(runs, RunState.QUEUED);
    List<Locked> open =
        runs.stream()
            .filter(run -> run.state() == RunState.RUNNING || run.state() == RunState.PAUSED)
            .toList();
    List<RunId> ids = open.stream().map(Locked::id).toList();
    List<RunId> main = open.stream().filter(RunStates::isMain).map(Locked::id).toList();
    List<RunId> late = open.stream().filter(run -> !isMain(run)).map(Locked::id).toList();
    if (!ids.isEmpty()) {
      update(handle, cancel, ids, reason);
      notes.event(handle, ids, RunEvent.Kind.CANCELLING, reason);
      notes.look(handle, ids);
      handle.createUpdate(forgetTimers).bindArray("ids", UUID.class, Columns.ids(main)).execute();
    }
    StepJobs.Stopped stopped =
        jobs.cancel(handle, main.stream().map(run -> new StepJobs.Target(run, null)).toList());
    Map<String, Integer> ready = jobs.release(handle, late);
    notes.event(handle, queued, RunEvent.Kind.ENDED, RunState.CANCELLED.name());
    RunEndings.Told told =
        endings.end(
            handle, queued.stream().map(id -> RunEndings.Ending.cancelled(id, reason)).toList());
    Set<RunId> look = new HashSet<>(ids);
    look.addAll(told.parents());
    return new Cancelled(look, Set.copyOf(queued), told.gates(), ready, stopped.stopping());
  }

  private static boolean isMain(Locked run) {
    return run.phase() == RunPhase.MAIN || run.phase() == RunPhase.STOPPING;
  }

  private static List<RunId> in(Collection<Locked> runs, RunState state) {
    return runs.stream().filter(run -> run.state() == state).map(Locked::id).toList();
  }

  private static void update(Handle handle, String sql, List<RunId> runs, String reason) {
    handle
        .createUpdate(sql)
        .bindArray("ids", UUID.class, Columns.ids(runs))
        .bind("reason", reason)
        .execute();
  }
}
