package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.When;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.workflow.PlanRows.Of;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Carries out plans in the transaction that has locked their runs. All runs that it touches are
 * locked before any job is written.
 */
final class PlanWriter {
  // By run_pkey.
  private static final String UPDATE =
      """
      update ${schema}.run r set
        state = coalesce(u.state, r.state), phase = u.phase, steps = u.steps, reason = u.reason,
        held_reason = case when u.state <> 'PAUSED' then null
                           when r.state = 'PAUSED' then r.held_reason else r.reason end,
        seq = u.seq, bytes = u.bytes
      from unnest(:ids::uuid[], :states::text[], :phases::text[], :steps::text[],
          :reasons::text[], :seqs::bigint[], :bytes::bigint[])
        u(id, state, phase, steps, reason, seq, bytes)
      where r.id = u.id
      """;

  /**
   * A plan and the run that it is for.
   *
   * @param before the state of the run before the plan
   * @param seq the number of its last event
   * @param bytes the size of its outputs
   * @param retried whether elements of its maps may have succeeded before
   * @param fresh the run, if it is to be inserted; null if it exists
   */
  record Planned(
      RunId id,
      RunState before,
      long seq,
      long bytes,
      boolean retried,
      RunPlan plan,
      @Nullable NewRun fresh) {

    static Planned of(NewRun run) {
      long bytes = run.content().inherited().stream().mapToLong(each -> size(each.output())).sum();
      return new Planned(
          run.id(),
          RunState.RUNNING,
          0,
          bytes,
          !run.content().inherited().isEmpty(),
          run.first(),
          run);
    }

    long seqAfter() {
      return seq + plan.events().size();
    }

    long bytesAfter() {
      return bytes + plan.results().stream().mapToLong(result -> size(result.output())).sum();
    }

    boolean becomes(RunState state) {
      return plan.state() == state && before != state;
    }
  }

  private final IntakeStatements intake;
  private final NewRuns newRuns;
  private final StepJobs stepJobs;
  private final RunTree tree;
  private final RunStates states;
  private final RunNotes notes;
  private final RunEndings endings;
  private final PlanRows rows;
  private final String update;

  /**
   * @param intake inserts jobs
   */
  PlanWriter(Database database, IntakeStatements intake, StepJobs stepJobs) {
    this.intake = intake;
    this.newRuns = new NewRuns(database);
    this.stepJobs = stepJobs;
    this.tree = new RunTree(database);
    this.states = new RunStates(database, stepJobs);
    this.notes = new RunNotes(database);
    this.endings = new RunEndings(database);
    this.rows = new PlanRows(database);
    this.update = database.sql(UPDATE);
  }

  static long size(@Nullable String output) {
    return output == null ? 0 : output.getBytes(StandardCharsets.UTF_8).length;
  }

  NewRuns newRuns() {
    return newRuns;
  }

  /** Writes the results that a run takes over. */
  void inherit(Handle handle, NewRun run) {
    rows.results(
        handle,
        run.content().inherited().stream()
            .map(each -> new Of<>(run.id(), each.step(), each))
            .toList());
    if (run.content().inherited().stream().anyMatch(each -> each.item() != StepRef.NO_ITEM)) {
      rows.inheritMaps(handle, run.id());
    }
  }

  /**
   * Carries out plans.
   *
   * @param given the plans; runs among them that are new have been inserted
   */
  PlanEffects carryOut(Handle handle, List<Planned> given) throws SQLException {
    PlanEffects effects = new PlanEffects();
    List<StepJobs.Target> stopped =
        given.stream()
            .flatMap(p -> p.plan.stopped().stream().map(s -> new StepJobs.Target(p.id, s)))
            .toList();
    List<RunId> pausing = ids(given.stream().filter(p -> p.becomes(RunState.PAUSED)));
    lockForUpdate(handle, given, stopped);
    List<Locked> stoppedRuns = tree.belowSteps(handle, stopped);
    List<Locked> pausedRuns = tree.below(handle, pausing);
    List<Planned> all = withChildren(handle, given, effects);
    update(handle, given.stream().filter(p -> p.fresh == null).toList());
    insertJobs(handle, all, effects);
    Map<RunId, RunPlan> plans = new LinkedHashMap<>();
    all.forEach(p -> plans.put(p.id, p.plan));
    rows.write(handle, plans);
    notes.events(handle, all.stream().flatMap(PlanWriter::events).toList());
    List<RunId> more = ids(all.stream().filter(p -> p.plan.more()));
    notes.look(handle, more);
    effects.next.addAll(more);
    effects.stopped(stepJobs.cancel(handle, stopped));
    effects.cancelled(
        states.cancel(handle, stoppedRuns, "The step that started this run was stopped."));
    stepJobs.hold(handle, pausing);
    states.pause(handle, pausedRuns, "The run that started this run is paused.");
    effects.ready(
        stepJobs.release(
            handle,
            ids(
                given.stream()
                    .filter(p -> p.before == RunState.PAUSED)
                    .filter(p -> p.plan.state() != RunState.PAUSED))));
    end(handle, all, effects);
    all.forEach(p -> p.plan.timers().forEach(timer -> effects.timer(timer.in())));
    return effects;
  }

  /** Keeps jobs from becoming startable in runs whose jobs are stopped or put on hold. */
  private void lockForUpdate(Handle handle, List<Planned> given, List<StepJobs.Target> stopped) {
    Set<RunId> runs = new HashSet<>();
    stopped.forEach(target -> runs.add(target.run()));
    given.stream()
        .filter(p -> p.becomes(RunState.PAUSED) || p.becomes(RunState.CANCELLING))
        .forEach(p -> runs.add(p.id));
    List<Locked> unused = tree.lock(handle, runs);
  }

  /** Inserts the child runs of plans, theirs, and so on, and returns all plans to carry out. */
  private List<Planned> withChildren(Handle handle, List<Planned> given, PlanEffects effects) {
    List<Planned> all = new ArrayList<>(given);
    List<NewRuns.Row> inserted = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      for (NewRun child : all.get(i).plan.children()) {
        UUID gate = Gates.id(child);
        inserted.add(new NewRuns.Row(child, gate != null, child.first().events().size()));
        if (gate == null) {
          all.add(Planned.of(child));
        } else {
          // A gate is locked before any run, so the child waits for another transaction.
          effects.gates.add(gate);
        }
      }
    }
    Set<RunId> unused = newRuns.insert(handle, inserted);
    return all;
  }

  private void update(Handle handle, List<Planned> plans) {
    if (plans.isEmpty()) {
      return;
    }
    handle
        .createUpdate(update)
        .bindArray("ids", UUID.class, Columns.of(plans, p -> p.id.value()))
        .bindArray(
            "states",
            String.class,
            Columns.of(
                plans, p -> p.plan.state().hasEnded() ? p.before.name() : p.plan.state().name()))
        .bindArray("phases", String.class, Columns.of(plans, p -> p.plan.phase().name()))
        .bindArray("steps", String.class, Columns.of(plans, p -> p.plan.steps()))
        .bindArray("reasons", String.class, Columns.of(plans, p -> p.plan.reason()))
        .bindArray("seqs", Long.class, Columns.of(plans, Planned::seqAfter))
        .bindArray("bytes", Long.class, Columns.of(plans, Planned::bytesAfter))
        .execute();
  }

  private void insertJobs(Handle handle, List<Planned> plans, PlanEffects effects)
      throws SQLException {
    Set<PlanRows.Item> done = rows.doneItems(handle, retriedMaps(plans));
    Map<Of<Boolean>, Integer> skipped = new HashMap<>();
    List<NewJob> jobs = new ArrayList<>();
    for (Planned planned : plans) {
      for (RunPlan.Job job : planned.plan.jobs()) {
        if (done.contains(new PlanRows.Item(planned.id, job.step(), job.item()))) {
          skipped.merge(new Of<>(planned.id, job.step(), true), 1, Integer::sum);
        } else {
          jobs.add(job.job());
          effects.created(job.job(), isReady(job.job().when()));
        }
      }
    }
    if (!jobs.isEmpty()) {
      intake.insertSteps(handle.getConnection(), jobs);
      rows.continueJobs(handle, retriedSteps(plans));
    }
    List<RunNotes.Mark> marks = new ArrayList<>();
    skipped.forEach((of, count) ->
        marks.add(
            new RunNotes.Mark(of.run(), new RunMark(RunMark.Kind.ENDED, of.step(), count, 0, 0))));
    notes.mark(handle, marks);
    marks.forEach(mark -> effects.next.add(mark.run()));
  }

  /** Returns the maps of retried runs that create jobs: some elements may need none. */
  private static Set<Of<Boolean>> retriedMaps(List<Planned> plans) {
    Set<Of<Boolean>> maps = new HashSet<>();
    for (Planned planned : plans) {
      if (planned.retried) {
        planned.plan.jobs().stream()
            .filter(job -> job.item() != StepRef.NO_ITEM)
            .forEach(job -> maps.add(new Of<>(planned.id, job.step(), true)));
      }
    }
    return maps;
  }

  /** Returns the steps of retried runs that start again. */
  private static List<Of<Boolean>> retriedSteps(List<Planned> plans) {
    return plans.stream()
        .filter(planned -> planned.retried)
        .flatMap(planned ->
            planned.plan.jobs().stream()
                .filter(job -> job.item() == StepRef.NO_ITEM)
                .map(job -> new Of<>(planned.id, job.step(), true)))
        .toList();
  }

  private static boolean isReady(When when) {
    return switch (when) {
      case When.Now() -> true;
      case When.After(var delay) -> delay.isZero();
      case When.At at -> false;
    };
  }

  private void end(Handle handle, List<Planned> plans, PlanEffects effects) {
    List<Planned> ended = plans.stream().filter(p -> p.plan.state().hasEnded()).toList();
    effects.told(
        endings.end(
            handle,
            ended.stream()
                .map(p ->
                    new RunEndings.Ending(
                        p.id,
                        p.plan.state(),
                        p.plan.phase(),
                        p.plan.steps(),
                        p.plan.reason(),
                        p.plan.result(),
                        p.plan.summary()))
                .toList()));
    ended.forEach(p -> effects.ended.put(p.id, p.plan.state()));
  }

  private static Stream<RunNotes.Numbered> events(Planned planned) {
    List<RunNotes.Numbered> numbered = new ArrayList<>();
    planned
        .plan
        .events()
        .forEach(event ->
            numbered.add(
                new RunNotes.Numbered(planned.id, planned.seq + numbered.size() + 1, event)));
    return numbered.stream();
  }

  private static List<RunId> ids(Stream<Planned> plans) {
    return plans.map(Planned::id).toList();
  }
}
