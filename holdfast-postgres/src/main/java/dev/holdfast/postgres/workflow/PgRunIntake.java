package dev.holdfast.postgres.workflow;

import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.GroupedCalls;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.OutsideTransaction;
import dev.holdfast.postgres.db.SqlFailures;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Starts runs: concurrent simple ones together, others with one transaction for each. */
final class PgRunIntake implements RunIntake {
  private static final String PATIENCE =
      "select set_config('lock_timeout', '%ds', true)".formatted(LockPatience.SECONDS);

  private final Database database;
  private final RunStart start;
  private final Gates gates;
  private final OutsideTransaction outside;
  private final GroupedCalls<SimpleStart.Start, Optional<List<ClaimedJob>>> groups;

  PgRunIntake(Database database, RunStart start, Gates gates, OutsideTransaction outside) {
    this.database = database;
    this.start = start;
    this.gates = gates;
    this.outside = outside;
    this.groups =
        new GroupedCalls<>(
            SimpleStart.Start::size,
            runs -> database.run(operation(runs), handle -> start.startSimple(handle, runs)));
  }

  @Override
  public Admission start(NewRun run, @Nullable NewSignal signal, StartHere here) {
    outside.check("start");
    if (signal == null && RunStart.isSimple(run)) {
      Optional<List<ClaimedJob>> started = groups.call(new SimpleStart.Start(run, here));
      if (started.isPresent()) {
        return new Admission(run.id(), Started.Outcome.CREATED, false, started.get());
      }
    }
    RunStart.Outcome outcome;
    try {
      outcome = Deadlocks.repeat(() -> transaction(run, signal));
    } catch (StoreException failure) {
      if (!SqlFailures.state(failure).equals(SqlFailures.LOCK_NOT_AVAILABLE)) {
        throw failure;
      }
      throw locked(run, failure);
    }
    Set<?> unused = gates.letThrough(outcome.gates());
    return outcome.admission();
  }

  private static String operation(List<SimpleStart.Start> runs) {
    return runs.size() == 1
        ? RunStart.operation(runs.getFirst().run())
        : "start %d runs".formatted(runs.size());
  }

  private RunStart.Outcome transaction(NewRun run, @Nullable NewSignal signal) {
    return database.transaction(
        RunStart.operation(run),
        handle -> {
          if (RunStart.mayWait(run)) {
            handle.createQuery(PATIENCE).mapTo(String.class).one();
          }
          return start.start(handle, run, signal);
        });
  }

  private static KeyLockedException locked(NewRun run, StoreException failure) {
    String key =
        run.content().unique() == null ? run.content().workflow() : run.content().unique().value();
    return new KeyLockedException(
        "Could not %s within %d s: another transaction that is still open starts a run with key '%s'. Nothing was changed; start it again when that transaction has ended, and keep transactions that start runs short."
            .formatted(RunStart.operation(run), LockPatience.SECONDS, key),
        List.of(key),
        failure);
  }
}
