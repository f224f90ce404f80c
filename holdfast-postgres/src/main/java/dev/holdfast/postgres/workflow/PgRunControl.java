package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Pauses, resumes, cancels, retries, signals and moves runs. */
final class PgRunControl implements RunControl {
  // By run_pkey and run_history_pkey.
  private static final String STATE =
      """
      select state from ${schema}.run where id = :id
      union all
      select state from ${schema}.run_history where id = :id
      """;

  // By run_parent and run_history_parent.
  private static final String CHILDREN =
      """
      select id from ${schema}.run where parent_id = :id
      union
      select id from ${schema}.run_history where parent_id = :id
      order by id
      """;

  private final Database database;
  private final RunTree trees;
  private final RunStates states;
  private final Gates gates;
  private final Signals signals;
  private final RunRetry retry;
  private final RunMove move;
  private final String state;
  private final String children;

  PgRunControl(Database database, StepJobs jobs, Gates gates, RunRetry retry) {
    this.database = database;
    this.trees = new RunTree(database);
    this.states = new RunStates(database, jobs);
    this.gates = gates;
    this.signals = new Signals(database);
    this.retry = retry;
    this.move = new RunMove(database);
    this.state = database.sql(STATE);
    this.children = database.sql(CHILDREN);
  }

  /** What an operation did, and the gates that may have room after its commit. */
  record Done(Result result, Set<UUID> gates) {
    static Done nothing(Optional<RunState> before) {
      return new Done(new Result(before, false, Set.of(), Map.of(), Set.of()), Set.of());
    }

    static Done of(RunState before, Set<RunId> look, Map<String, Integer> ready) {
      return new Done(new Result(Optional.of(before), true, look, ready, Set.of()), Set.of());
    }
  }

  @Override
  public Result pause(RunId id, String reason) {
    return transaction(
        "pause run %s".formatted(id),
        handle -> {
          Optional<Locked> run = trees.lock(handle, id);
          if (run.isEmpty() || run.get().state() != RunState.RUNNING) {
            return Done.nothing(before(handle, id, run));
          }
          states.pause(handle, tree(handle, run.get()), reason);
          return Done.of(RunState.RUNNING, Set.of(), Map.of());
        });
  }

  @Override
  public Result resume(RunId id) {
    return transaction(
        "resume run %s".formatted(id),
        handle -> {
          Optional<Locked> run = trees.lock(handle, id);
          if (run.isEmpty() || run.get().state() != RunState.PAUSED) {
            return Done.nothing(before(handle, id, run));
          }
          List<Locked> tree = tree(handle, run.get());
          Map<String, Integer> ready = states.resume(handle, tree);
          Result result =
              new Result(
                  Optional.of(RunState.PAUSED), true, in(tree, RunState.PAUSED), ready, Set.of());
          return new Done(result, queuedAt(tree));
        });
  }

  @Override
  public Result cancel(RunId id, String reason) {
    return transaction(
        "cancel run %s".formatted(id),
        handle -> {
          Optional<Locked> run = trees.lock(handle, id);
          if (run.isEmpty() || run.get().state() == RunState.CANCELLING) {
            return Done.nothing(before(handle, id, run));
          }
          RunStates.Cancelled cancelled = states.cancel(handle, tree(handle, run.get()), reason);
          return new Done(
              new Result(
                  Optional.of(run.get().state()),
                  true,
                  cancelled.look(),
                  cancelled.ready(),
                  cancelled.stopping()),
              cancelled.gates());
        });
  }

  @Override
  public Result retry(RunId id, Reset reset) {
    return transaction(
        "retry run %s".formatted(id),
        handle -> retry.retry(handle, id, reset).orElseGet(() -> Done.nothing(state(handle, id))));
  }

  @Override
  public Result signal(RunId id, RunIntake.NewSignal signal) {
    return transaction(
        "send signal %s to run %s".formatted(signal.name(), id),
        handle -> {
          boolean sent = signals.send(handle, id, signal) == Signals.Sending.SENT;
          Optional<RunState> before = state(handle, id);
          return sent ? Done.of(before.orElseThrow(), Set.of(id), Map.of()) : Done.nothing(before);
        });
  }

  @Override
  public Result move(RunId id, Move to) {
    return transaction(
        "move run %s".formatted(id),
        handle -> {
          Optional<Locked> run = trees.lock(handle, id);
          if (run.isEmpty() || !run.get().steps().equals(to.seen())) {
            return Done.nothing(before(handle, id, run));
          }
          Map<String, Integer> ready = move.move(handle, id, to);
          return Done.of(run.get().state(), Set.of(id), ready);
        });
  }

  @Override
  public List<RunId> children(RunId id) {
    return database.run(
        "list the child runs of run %s".formatted(id),
        handle ->
            handle.createQuery(children).bind("id", id.value()).mapTo(UUID.class).list().stream()
                .map(RunId::new)
                .toList());
  }

  private Result transaction(String operation, Database.Work<Done> work) {
    Done done = Deadlocks.repeat(() -> database.transaction(operation, work));
    Set<RunId> started = gates.letThrough(done.gates);
    if (started.isEmpty()) {
      return done.result;
    }
    Set<RunId> look = new HashSet<>(done.result.look());
    look.addAll(started);
    return new Result(
        done.result.before(),
        done.result.done(),
        look,
        done.result.ready(),
        done.result.stopping());
  }

  /** Locks a run and all runs below it. */
  private List<Locked> tree(Handle handle, Locked root) {
    List<Locked> tree = new ArrayList<>(List.of(root));
    tree.addAll(trees.below(handle, List.of(root.id())));
    return tree;
  }

  private static Set<RunId> in(List<Locked> runs, RunState state) {
    return runs.stream()
        .filter(run -> run.state() == state)
        .map(Locked::id)
        .collect(Collectors.toSet());
  }

  /** Returns the gates at which child runs wait that were not let through during the pause. */
  private static Set<UUID> queuedAt(List<Locked> runs) {
    return runs.stream()
        .filter(run -> run.state() == RunState.QUEUED)
        .map(Locked::gate)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  private Optional<RunState> before(Handle handle, RunId id, Optional<Locked> locked) {
    return locked.isPresent() ? locked.map(Locked::state) : state(handle, id);
  }

  private Optional<RunState> state(Handle handle, RunId id) {
    return handle
        .createQuery(state)
        .bind("id", id.value())
        .map((row, context) -> RunState.valueOf(row.getString(1)))
        .findFirst();
  }
}
