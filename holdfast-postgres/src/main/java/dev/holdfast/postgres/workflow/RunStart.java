package dev.holdfast.postgres.workflow;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.intake.KeyRequest;
import dev.holdfast.postgres.workflow.PlanWriter.Planned;
import dev.holdfast.postgres.workflow.RunTree.Locked;
import dev.holdfast.postgres.workflow.Signals.Sending;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, inside a transaction. Locks are taken in the order ledger key, gate, run. If the
 * holder of a key disappears between a failed insert and the query for the holder, or before it
 * gets the signal, another round starts.
 */
final class RunStart {
  private static final int MOST_ROUNDS = 10;

  // By run_pkey and run_history_pkey, in one snapshot.
  private static final String EXISTS =
      """
      select exists (select from ${schema}.run where id = :id)
        or exists (select from ${schema}.run_history where id = :id)
      """;

  // By workflow_definition_pkey.
  private static final String RETIRED =
      """
      select not exists (
        select from ${schema}.workflow_definition where id = :id and retired_at is null)
      """;

  // By run_unique.
  private static final String HOLDER =
      "select id from ${schema}.run where workflow = :workflow and unique_key = :key";

  /**
   * The result of a start.
   *
   * @param jobs the jobs that were created
   * @param gates the gates that may have room when the transaction has committed
   */
  record Outcome(Admission admission, List<NewJob> jobs, Set<UUID> gates) {
    static Outcome found(RunId id) {
      return new Outcome(new Admission(id, Started.Outcome.EXISTING, false), List.of(), Set.of());
    }
  }

  private final IntakeStatements intake;
  private final PlanWriter writer;
  private final RunTree tree;
  private final RunStates states;
  private final RunNotes notes;
  private final Gates gates;
  private final Signals signals;
  private final SimpleStart simple;
  private final String exists;
  private final String holder;
  private final String retired;

  RunStart(Database database, IntakeStatements intake, StepJobs jobs) {
    this.intake = intake;
    this.tree = new RunTree(database);
    this.states = new RunStates(database, jobs);
    this.notes = new RunNotes(database);
    this.writer = new PlanWriter(database, intake, jobs);
    this.gates = new Gates(database);
    this.signals = new Signals(database);
    this.simple = new SimpleStart(database, intake);
    this.exists = database.sql(EXISTS);
    this.holder = database.sql(HOLDER);
    this.retired = database.sql(RETIRED);
  }

  Outcome start(Handle handle, NewRun run, @Nullable NewSignal signal) throws SQLException {
    if (run.mayExist()) {
      intake.rememberRepeats(handle.getConnection(), List.of(run.id().value()));
    }
    return admit(handle, run, signal);
  }

  private Outcome admit(Handle handle, NewRun run, @Nullable NewSignal signal) throws SQLException {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      // The id comes before the key: a repeat must find its own run, not fail because of its key.
      if ((run.mayExist() || round > 0) && exists(handle, run.id())) {
        return Outcome.found(run.id());
      }
      Optional<RunId> taken = holder(handle, run);
      if (taken.isPresent()) {
        Outcome found = conflict(run, taken.get());
        if (reaches(handle, run, taken.get(), signal)) {
          return found;
        }
        continue;
      }
      Optional<Outcome> done = insert(handle, run);
      if (done.isPresent()) {
        if (signal != null && done.get().admission().outcome() == Started.Outcome.CREATED) {
          Sending unused = signals.send(handle, run.id(), signal);
        }
        return done.get();
      }
    }
    throw new StoreException(
        StoreException.Outcome.RETRYABLE,
        "Could not start run %s: the holder of its unique key kept changing. Nothing was changed; try again."
            .formatted(run.id()),
        null);
  }

  private static Outcome conflict(NewRun run, RunId existing) {
    UniqueKey key = run.content().unique();
    if (key != null && key.onConflict() == OnConflict.FAIL && !existing.equals(run.id())) {
      throw new DuplicateJobException(key.value(), new JobId(existing.value()));
    }
    return Outcome.found(existing);
  }

  /**
   * Sends a signal to the run that has the key. Returns false if it has ended since it was found,
   * so that the key is free.
   */
  private boolean reaches(Handle handle, NewRun run, RunId holder, @Nullable NewSignal signal) {
    UniqueKey key = run.content().unique();
    return signal == null
        || signals.send(handle, holder, signal) != Sending.NOT_OPEN
        || (key != null && key.window() != null); // Keeps its key after its end.
  }

  private boolean isRetired(Handle handle, int definition) {
    return handle.createQuery(retired).bind("id", definition).mapTo(Boolean.class).one();
  }

  private boolean exists(Handle handle, RunId id) {
    return handle.createQuery(exists).bind("id", id.value()).mapTo(Boolean.class).one();
  }

  /** Returns the run that has the key; takes a key with a window if it is free. */
  private Optional<RunId> holder(Handle handle, NewRun run) throws SQLException {
    UniqueKey key = run.content().unique();
    if (key == null) {
      return Optional.empty();
    }
    if (key.window() == null) {
      return handle
          .createQuery(holder)
          .bind("workflow", run.content().workflow())
          .bind("key", key.value())
          .mapTo(UUID.class)
          .findOne()
          .map(RunId::new);
    }
    KeyRequest request = ledgerEntry(run, key);
    if (!intake.keys().takeLedgerKeys(handle.getConnection(), List.of(request)).isEmpty()) {
      return Optional.empty();
    }
    JobId owner =
        intake
            .keys()
            .holders(handle.getConnection(), Set.of(request.fullKey()), true)
            .get(request.fullKey());
    return Optional.ofNullable(owner)
        .map(id -> new RunId(id.value()))
        .filter(id -> !id.equals(run.id()));
  }

  private static KeyRequest ledgerEntry(NewRun run, UniqueKey key) {
    return new KeyRequest(run.id().value(), "workflow:" + run.content().workflow(), key);
  }

  /** Inserts the run; returns nothing if its id or key was taken meanwhile. */
  private Optional<Outcome> insert(Handle handle, NewRun run) throws SQLException {
    NewRun.Gate limit = run.content().gate();
    UUID gate = Gates.id(run);
    if (limit == null || gate == null) {
      return insert(handle, run, false);
    }
    gates.lock(handle, gate);
    Gates.Count count = gates.count(handle, gate);
    boolean full = count.active() >= limit.count();
    if (full && limit.onFull() == OnFull.SKIP) {
      return Optional.of(skipped(handle, run, gate));
    }
    if (!full && count.queued() == 0) {
      return insert(handle, run, false);
    }
    RunStates.Cancelled replaced =
        limit.onFull() == OnFull.REPLACE ? replace(handle, run, gate) : null;
    Optional<Outcome> queued = insert(handle, run, true);
    if (queued.isPresent()) {
      List<RunId> unused = gates.letThrough(handle, gate); // Advances plan them, even this one.
    }
    return replaced == null
        ? queued
        : queued.map(out ->
            new Outcome(
                out.admission().stopping(replaced.stopping()), out.jobs(), replaced.gates()));
  }

  private Outcome skipped(Handle handle, NewRun run, UUID gate) throws SQLException {
    UniqueKey key = run.content().unique();
    if (key != null && key.window() != null) {
      intake.keys().releaseLedgerKeys(handle.getConnection(), List.of(ledgerEntry(run, key)));
    }
    RunId active = gates.active(handle, gate).orElse(run.id());
    return new Outcome(new Admission(active, Started.Outcome.SKIPPED, false), List.of(), Set.of());
  }

  private RunStates.Cancelled replace(Handle handle, NewRun run, UUID gate) {
    List<Locked> others = tree.lock(handle, gates.runs(handle, gate));
    List<Locked> all = new ArrayList<>(others);
    all.addAll(tree.below(handle, others.stream().map(Locked::id).toList()));
    return states.cancel(handle, all, "Replaced by run %s.".formatted(run.id()));
  }

  private Optional<Outcome> notInserted(Handle handle, NewRun run) {
    if (isRetired(handle, run.content().definition())) {
      throw new RetiredDefinitionException(run.content().workflow());
    }
    return Optional.empty();
  }

  private Optional<Outcome> insert(Handle handle, NewRun run, boolean queued) throws SQLException {
    if (!queued && SimpleStart.suits(run)) {
      SimpleStart.Start alone = new SimpleStart.Start(run, StartHere.NOTHING);
      return simple.start(handle.getConnection(), List.of(alone)).getFirst().isPresent()
          ? Optional.of(
              new Outcome(
                  new Admission(run.id(), Started.Outcome.CREATED, false),
                  SimpleStart.jobs(run),
                  Set.of()))
          : notInserted(handle, run);
    }
    long seq = queued ? 0 : run.first().events().size();
    NewRuns.Row row = new NewRuns.Row(run, queued, seq);
    if (writer.newRuns().insert(handle, List.of(row)).isEmpty()) {
      return notInserted(handle, run);
    }
    writer.inherit(handle, run);
    if (queued) {
      notes.event(handle, List.of(run.id()), RunEvent.Kind.CREATED, null);
      Map<RunEvent.Kind, List<Integer>> kept = new TreeMap<>();
      run.waitingEvents()
          .forEach(event ->
              kept.computeIfAbsent(event.kind(), kind -> new ArrayList<>()).add(event.step()));
      kept.forEach((kind, steps) -> notes.stepEvents(handle, run.id(), kind, steps));
      notes.event(handle, List.of(run.id()), RunEvent.Kind.QUEUED, null);
      return Optional.of(
          new Outcome(new Admission(run.id(), Started.Outcome.CREATED, true), List.of(), Set.of()));
    }
    PlanEffects effects = writer.carryOut(handle, List.of(Planned.of(run)));
    return Optional.of(
        new Outcome(
            new Admission(run.id(), Started.Outcome.CREATED, false), effects.jobs, effects.gates));
  }

  /** Inserts runs that start without waiting; see {@link SimpleStart#start}. */
  List<Optional<List<ClaimedJob>>> startSimple(Handle handle, List<SimpleStart.Start> runs)
      throws SQLException {
    return simple.start(handle.getConnection(), runs);
  }

  /** Returns whether a run can be inserted together with others in one statement. */
  static boolean isSimple(NewRun run) {
    return run.content().unique() == null && !run.mayExist() && SimpleStart.suits(run);
  }

  /** Returns whether a start may have to wait for other transactions. */
  static boolean mayWait(NewRun run) {
    return run.content().unique() != null || run.content().gate() != null;
  }

  /** Returns what is being done, to follow "Could not" in an error message. */
  static String operation(NewRun run) {
    return "start run %s of workflow %s".formatted(run.id(), run.content().workflow());
  }
}
