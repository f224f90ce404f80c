package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of a store in memory that forget something. Each changes the rows as the forgotten
 * part would have left them.
 */
public final class BrokenTransactions {
  private final Tables tables;
  private final RunTables runs;

  public BrokenTransactions(Store store) {
    this.tables = ((InMemoryStore) store).tables;
    this.runs = tables.runs;
  }

  /** Removes the mark that a job left which ended just now, if it is the only one of its run. */
  public void loseMarks(List<?> finishes) {
    for (Object each : finishes) {
      JobRow row = tables.find(((Finish) each).claim().id());
      if (row != null && row.step != null && row.state.hasEnded()) {
        List<RunMark> marks = runs.marks.get(row.step.run());
        if (marks != null && marks.size() == 1) {
          runs.marks.remove(row.step.run());
        }
      }
    }
  }

  /** Releases the locks of a run while it is being advanced. */
  public void unlock(RunId run) {
    runs.locked.remove(run);
  }

  /** Removes the marks of a run that an advance has not read. */
  public void deleteUnreadMarks(RunId run, int read) {
    List<RunMark> marks = runs.marks.get(run);
    if (marks != null && marks.size() > read) {
      marks.subList(read, marks.size()).clear();
    }
  }

  /** Returns a step as if its plan took all events of its run into account. */
  public RunAdvance.Express upToDate(RunAdvance.Express step) {
    return new RunAdvance.Express(
        step.finish(), step.run(), runs.lastEvent(step.run()), step.plan());
  }

  /** Pauses a run, but leaves its CLAIMED jobs as they are. */
  public @Nullable Object pauseWithoutClaimed(RunId run, Callable<@Nullable Object> pause)
      throws Exception {
    record Before(JobRow row, @Nullable UUID holder) {}
    List<Before> claimed = new ArrayList<>();
    for (JobRow row : tables.live.values()) {
      if (row.state == JobState.CLAIMED && row.step != null && row.step.run().equals(run)) {
        claimed.add(new Before(row, row.holder));
      }
    }
    Object result = pause.call();
    for (Before before : claimed) {
      if (before.row.state == JobState.ON_HOLD) {
        before.row.state = JobState.CLAIMED;
        before.row.holder = before.holder;
        before.row.heldFrom = null;
      }
    }
    return result;
  }

  /** Writes outcomes as if no run were paused. */
  public @Nullable Object ignorePauses(Callable<@Nullable Object> finish) throws Exception {
    List<StoredRun> paused =
        runs.open.values().stream().filter(run -> run.state == RunState.PAUSED).toList();
    paused.forEach(run -> run.state = RunState.RUNNING);
    try {
      return finish.call();
    } finally {
      paused.forEach(run -> run.state = RunState.PAUSED);
    }
  }

  /** Writes an entry of a journal without looking at the claim. */
  public boolean appendUnchecked(ClaimId claim, JournalEntry entry) {
    JobRow row = tables.live.get(claim.id());
    if (row != null) {
      row.journal.put(entry.key(), entry);
    }
    return row != null;
  }

  /** Lets jobs wait that were woken when they were parked, because their signal was there. */
  public void parkAgain(List<?> finishes) {
    for (Object each : finishes) {
      if (each instanceof Finish.Parked parked && parked.signal() != null) {
        JobRow row = tables.live.get(parked.claim().id());
        if (row != null && row.state == JobState.READY && row.token == parked.claim().token()) {
          row.runAt = row.runAt.plus(parked.wake());
          tables.queue(row, row.createdAt);
          tables.park(row, parked.signal());
        }
      }
    }
  }

  /** Executes something that may end runs, and lets no run through that waits for one to end. */
  public @Nullable Object admitNone(Callable<@Nullable Object> ending) throws Exception {
    List<StoredRun> queued =
        runs.open.values().stream().filter(run -> run.state == RunState.QUEUED).toList();
    Object result = ending.call();
    for (StoredRun run : queued) {
      if (runs.open.containsKey(run.id) && run.state != RunState.QUEUED) {
        run.state = RunState.QUEUED;
        runs.marks.remove(run.id);
      }
    }
    return result;
  }

  /** Deletes the deadlines of paused runs that are over. */
  public void forgetDeadlinesOfPausedRuns() {
    tables.transaction(now -> {
      for (StoredRun run : runs.open.values()) {
        if (run.state == RunState.PAUSED && runs.timers.containsKey(run.id)) {
          runs.timers
              .get(run.id)
              .removeIf(
                  timer -> timer.kind() == RunMark.Kind.DEADLINE && !timer.dueAt().isAfter(now));
        }
      }
      return Boolean.TRUE;
    });
  }

  /** Moves a run, but leaves its jobs at the steps where they were. */
  public @Nullable Object keepPositions(RunId run, Callable<@Nullable Object> move)
      throws Exception {
    record Before(JobRow row, @Nullable StepRef step) {}
    List<Before> jobs = new ArrayList<>();
    for (JobRow row : tables.live.values()) {
      if (row.step != null && row.step.run().equals(run)) {
        jobs.add(new Before(row, row.step));
      }
    }
    Object result = move.call();
    jobs.forEach(before -> before.row.step = before.step);
    return result;
  }

  /** Returns whether a claim is valid. */
  public boolean isHeld(UUID incarnation, ClaimId claim) {
    return tables.heldBy(incarnation, claim) != null;
  }
}
