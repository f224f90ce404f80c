package dev.holdfast.testkit.memory;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunPhase;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Pauses, resumes, cancels, retries, signals and moves runs. */
final class MemoryRunControl implements RunControl {
  private final Tables tables;
  private final RunTables runs;
  private final RunEndings endings;
  private final MemoryRunIntake intake;
  private final RunRetry retry;

  MemoryRunControl(Tables tables, RunEndings endings, MemoryRunIntake intake) {
    this.tables = tables;
    this.runs = tables.runs;
    this.endings = endings;
    this.intake = intake;
    this.retry = new RunRetry(tables, endings);
  }

  /** Changes a run and those below it, as soon as no advance has locked them. */
  private Result change(RunId id, Function<Instant, Result> change) {
    return tables.whenUnlocked(() -> runs.isLocked(runs.find(id), Set.of()), change);
  }

  @Override
  public Result pause(RunId id, String reason) {
    return change(
        id,
        now -> {
          StoredRun run = runs.find(id);
          if (run == null || run.state != RunState.RUNNING) {
            return RunEffects.nothing(run);
          }
          runs.tree(run).stream()
              .filter(each -> each.state == RunState.RUNNING)
              .forEach(each -> endings.pause(each, reason, now));
          return new RunEffects().done(RunState.RUNNING);
        });
  }

  @Override
  public Result resume(RunId id) {
    return change(
        id,
        now -> {
          StoredRun run = runs.find(id);
          if (run == null || run.state != RunState.PAUSED) {
            return RunEffects.nothing(run);
          }
          RunEffects effects = new RunEffects();
          runs.tree(run).stream()
              .filter(each -> each.state == RunState.PAUSED)
              .forEach(each -> resume(each, effects, now));
          return effects.done(RunState.PAUSED);
        });
  }

  private void resume(StoredRun run, RunEffects effects, Instant now) {
    run.state = RunState.RUNNING;
    if (run.phase == RunPhase.MAIN) {
      run.reason = null;
    }
    endings.release(run, effects, now);
    runs.event(run.id, RunEvent.Kind.RESUMED, null, now);
    runs.look(run.id);
    effects.look.add(run.id);
  }

  @Override
  public Result cancel(RunId id, String reason) {
    return change(
        id,
        now -> {
          StoredRun run = runs.find(id);
          if (run == null) {
            return RunEffects.nothing(null);
          }
          RunState before = run.state;
          RunEffects effects = new RunEffects();
          return endings.cancel(run, reason, effects, now)
              ? effects.done(before)
              : RunEffects.nothing(run);
        });
  }

  @Override
  public Result retry(RunId id, Reset reset) {
    return change(
        id,
        now -> {
          StoredRun run = runs.find(id);
          return run == null || !RunRetry.isAllowed(run)
              ? RunEffects.nothing(run)
              : retry.retry(run, reset, now);
        });
  }

  @Override
  public Result signal(RunId id, RunIntake.NewSignal signal) {
    return tables.transaction(now -> {
      StoredRun run = runs.find(id);
      RunEffects effects = new RunEffects();
      return run != null && intake.send(id, signal, effects, now)
          ? effects.done(run.state)
          : RunEffects.nothing(run);
    });
  }

  @Override
  public Result move(RunId id, Move to) {
    return change(
        id,
        now -> {
          StoredRun run = runs.open.get(id);
          if (run == null || !run.steps.equals(to.seen())) {
            return RunEffects.nothing(runs.find(id));
          }
          if (runs.retired.containsKey(to.definition())) {
            throw new RetiredDefinitionException(run.workflow);
          }
          RunEffects effects = new RunEffects();
          RunMove move = new RunMove(tables, run, to.positions());
          move.renumber();
          move.rework(to.jobs(), effects);
          run.definition = to.definition();
          run.steps = to.steps();
          runs.event(id, RunEvent.Kind.MOVED, String.valueOf(to.definition()), now);
          runs.look(id);
          effects.look.add(id);
          return effects.done(run.state);
        });
  }

  @Override
  public List<RunId> children(RunId id) {
    return tables.transaction(now -> runs.childrenOf(id).stream().map(child -> child.id).toList());
  }
}
