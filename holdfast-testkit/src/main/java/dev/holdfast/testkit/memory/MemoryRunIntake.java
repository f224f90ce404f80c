package dev.holdfast.testkit.memory;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.Started.Outcome;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.StartHere;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores new runs. */
final class MemoryRunIntake implements RunIntake {
  private final Tables tables;
  private final RunTables runs;
  private final RunEndings endings;
  private final PlanWriter plans;
  private final StartedSteps starts;

  MemoryRunIntake(Tables tables, RunEndings endings, PlanWriter plans) {
    this.tables = tables;
    this.runs = tables.runs;
    this.endings = endings;
    this.plans = plans;
    this.starts = new StartedSteps(tables);
  }

  @Override
  public Admission start(NewRun run, @Nullable NewSignal signal, StartHere here) {
    StorableText.require(run);
    return tables.whenUnlocked(
        () -> isBlocked(run),
        now -> {
          Admission admission = start(run, now);
          if (signal != null && admission.outcome() != Outcome.SKIPPED) {
            send(admission.id(), signal, new RunEffects(), now);
          }
          boolean startable =
              admission.outcome() == Outcome.CREATED && !admission.queued() && signal == null;
          return startable
              ? new Admission(
                  run.id(), Outcome.CREATED, false, starts.start(run.first().jobs(), here, now))
              : admission;
        });
  }

  /** Returns whether the run replaces one that is being advanced. */
  private boolean isBlocked(NewRun run) {
    return run.content().gate() != null
        && run.content().gate().onFull() == MaxActive.OnFull.REPLACE
        && endings.activeBehindGateOf(plans.row(run, Instant.EPOCH)).stream()
            .anyMatch(active -> runs.isLocked(active, Set.of()));
  }

  private Admission start(NewRun run, Instant now) {
    if (runs.find(run.id()) != null) {
      return new Admission(run.id(), Outcome.EXISTING, false);
    }
    if (!runs.definitions.containsKey(run.content().definition())
        || runs.retired.containsKey(run.content().definition())) {
      throw new RetiredDefinitionException(run.content().workflow());
    }
    StoredRun row = plans.row(run, now);
    RunTables.Key key = RunTables.keyOf(row);
    RunId holder = key == null ? null : runs.holder(key, now);
    if (key != null && holder != null) {
      if (row.unique != null && row.unique.onConflict() == OnConflict.FAIL) {
        throw new DuplicateJobException(key.value(), new JobId(holder.value()));
      }
      return new Admission(holder, Outcome.EXISTING, false);
    }
    RunEffects effects = new RunEffects();
    boolean full = endings.isGateFull(row);
    if (full && run.content().gate() != null) {
      switch (run.content().gate().onFull()) {
        case SKIP -> {
          RunId active = endings.activeBehindGateOf(row).getFirst().id;
          return new Admission(active, Outcome.SKIPPED, false);
        }
        case REPLACE -> plans.replace(row, effects, now);
        case QUEUE -> {}
      }
    }
    plans.create(row, run, full, effects, now);
    return new Admission(run.id(), Outcome.CREATED, full).stopping(effects.stopping);
  }

  /** Sends a signal to an open run, once. Returns whether it was stored. */
  boolean send(RunId id, NewSignal signal, RunEffects effects, Instant now) {
    if (!runs.open.containsKey(id)) {
      return false;
    }
    List<RunTables.SentSignal> sent = runs.signals.computeIfAbsent(id, key -> new ArrayList<>());
    if (sent.stream()
        .anyMatch(old -> old.name().equals(signal.name()) && old.id().equals(signal.id()))) {
      return false;
    }
    sent.add(new RunTables.SentSignal(signal.name(), signal.id(), signal.payload(), null));
    runs.event(id, RunEvent.Kind.SIGNALLED, signal.name(), now);
    runs.look(id);
    effects.look.add(id);
    return true;
  }
}
