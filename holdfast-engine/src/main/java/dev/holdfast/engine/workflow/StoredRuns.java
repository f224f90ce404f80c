package dev.holdfast.engine.workflow;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.Counts;
import dev.holdfast.api.Page;
import dev.holdfast.api.RunFailedException;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.Runs;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.EndWaiter;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of a store, for clients. */
public final class StoredRuns implements Runs {
  private static final int MIDDLE_PRIORITY = 4;

  private final RunStore store;
  private final JobQueries jobs;
  private final RunStarter starter;
  private final WorkflowCatalog catalog;
  private final PayloadCodec codec;
  private final SignalBus bus;
  private final EndWaiter waiter;
  private final Supplier<UUID> ids;

  public StoredRuns(
      RunStore store,
      JobQueries jobs,
      RunStarter starter,
      WorkflowCatalog catalog,
      PayloadCodec codec,
      SignalBus bus,
      EndWaiter waiter,
      Supplier<UUID> ids) {
    this.store = store;
    this.jobs = jobs;
    this.starter = starter;
    this.catalog = catalog;
    this.codec = codec;
    this.bus = bus;
    this.waiter = waiter;
    this.ids = ids;
  }

  @Override
  public <I, R> Started<R> start(Workflow<I, R> workflow, I input, RunOptions options) {
    return starter.start(store.intake(), workflow, input, options, null);
  }

  /**
   * Starts a run for a job, in the stack of the job.
   *
   * @param cause the schedule or trigger that created the job; null for none
   */
  public <I, R> Started<R> startFor(
      JobId job, Workflow<I, R> workflow, I input, RunOptions options, @Nullable JobCause cause) {
    Job stored = jobs.find(List.of(job)).get(job);
    String stack = stored == null ? null : stored.stack();
    return starter.startFor(store.intake(), workflow, input, options, stack, cause);
  }

  /**
   * Starts a run of a stored graph for a job, in the stack of the job.
   *
   * @param hash the hash of the graph
   * @param input the encoded input
   * @param cause the schedule or trigger that created the job; null for none
   */
  public Started<Object> startFor(
      JobId job, String hash, String input, RunOptions options, @Nullable JobCause cause) {
    Job stored = jobs.find(List.of(job)).get(job);
    String stack = stored == null ? null : stored.stack();
    return starter.startFor(store.intake(), hash, input, options, stack, cause);
  }

  @Override
  public Started<Object> start(String workflow, String input, RunOptions options) {
    return starter.start(store.intake(), Names.workflow(workflow), input, options);
  }

  @Override
  public <I, R> Started<R> signalOrStart(
      Workflow<I, R> workflow,
      I input,
      String uniqueKey,
      String signal,
      @Nullable Object payload,
      Consumer<SignalOptions.Builder> changes) {
    return starter.start(
        store.intake(),
        workflow,
        input,
        RunOptions.of(run -> run.unique(UniqueKey.whileActive(uniqueKey))),
        newSignal(signal, payload, SignalOptions.of(changes)));
  }

  @Override
  public Optional<Run> find(RunId id) {
    return store
        .queries()
        .find(id)
        .map(row -> {
          RunRow.Details details = store.queries().details(id);
          RunReader reader = new RunReader(row, stranded(List.of(row)).get(id));
          return catalog
              .readable(row)
              .map(graph -> reader.full(details, graph, questions()))
              .orElseGet(reader::unreadable);
        });
  }

  private StepWaits.Questions questions() {
    return new StepWaits.Questions(
        jobs::whyWaiting, child -> store.queries().find(child).map(RunRow::state));
  }

  @Override
  public List<RunItem> items(RunId id, String step) {
    RunRow row = row(id);
    GraphIndex index = catalog.index(row.definition(), row.hash());
    Integer at = index.position(step);
    if (at == null || !(index.node(at).work() instanceof Graph.Work.Map map)) {
      throw new IllegalArgumentException(
          at == null
              ? "Run %s of workflow '%s' has no step '%s'.".formatted(id, row.workflow(), step)
              : "Step '%s' of run %s is no map: only maps have elements.".formatted(step, id));
    }
    return new RunItems(row, index, store.queries().results(id))
        .of(at, map, store.queries().details(id).maps().get(at));
  }

  @Override
  public List<Run> list(RunFilter filter, Page<RunId> page) {
    List<RunRow> rows = store.queries().list(filter, page.after().orElse(null), page.limit());
    Map<RunId, String> stranded = stranded(rows);
    return rows.stream()
        .map(row -> {
          RunReader reader = new RunReader(row, stranded.get(row.id()));
          return catalog.readable(row).map(reader::brief).orElseGet(reader::unreadable);
        })
        .toList();
  }

  /** Returns why no live node can continue these runs, without those that one can continue. */
  private Map<RunId, String> stranded(List<RunRow> rows) {
    List<RunId> open =
        rows.stream().filter(row -> !row.state().hasEnded()).map(RunRow::id).toList();
    return open.isEmpty() ? Map.of() : store.queries().stranded(open);
  }

  @Override
  public Counts<RunState> count(RunFilter filter) {
    return store.queries().count(filter);
  }

  @Override
  public List<RunEvent> events(RunId id, Page<Long> page) {
    RunRow row = row(id);
    Graph graph = catalog.graph(row.definition(), row.hash());
    return store.queries().events(id, page.after().orElse(0L), page.limit()).stream()
        .map(stored -> event(stored, graph))
        .toList();
  }

  private static RunEvent event(RunQueries.StoredEvent stored, Graph graph) {
    int step = stored.event().step();
    return new RunEvent(
        stored.seq(),
        stored.at(),
        stored.event().kind(),
        step < 0 || step >= graph.steps().size() ? null : graph.steps().get(step).name(),
        stored.event().detail());
  }

  @Override
  public <R> @Nullable R await(RunId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return await(id, resultType, atMost, false);
  }

  @Override
  public <R> CompletionStage<@Nullable R> awaitAsync(
      RunId id, TypeRef<R> resultType, Duration atMost) {
    return EndWaiter.async(new JobId(id.value()), () -> await(id, resultType, atMost, true));
  }

  private <R> @Nullable R await(
      RunId id, TypeRef<R> resultType, Duration atMost, boolean endsOnClose)
      throws InterruptedException {
    RunRow ended =
        waiter.await(
            new JobId(id.value()),
            atMost,
            endsOnClose,
            () -> Optional.of(row(id)).filter(row -> row.state().hasEnded()),
            () -> new AwaitTimeoutException(id, row(id).state(), atMost));
    if (ended.state() != RunState.SUCCEEDED) {
      throw new RunFailedException(find(id).orElseThrow(() -> new UnknownRunException(id)));
    }
    return ended.result() == null ? null : codec.decode(ended.result(), resultType);
  }

  @Override
  public void pause(RunId id) {
    RunControl.Result result = control("pause", id, c -> c.pause(id, "PAUSED: by request"));
    if (!result.done() && state(id, result) != RunState.PAUSED) {
      throw refused(id, result, "paused", "only a running one can be.");
    }
  }

  @Override
  public void resume(RunId id) {
    RunControl.Result result = control("resume", id, c -> c.resume(id));
    if (!result.done()) {
      throw refused(id, result, "resumed", "only a paused one can be.");
    }
  }

  @Override
  public void cancel(RunId id, String reason) {
    String text = Names.storable("Reason", reason);
    RunControl.Result result = control("cancel", id, c -> c.cancel(id, "CANCELLED: " + text));
    if (!result.done() && state(id, result) != RunState.CANCELLING) {
      throw refused(id, result, "cancelled", "it has ended.");
    }
  }

  @Override
  public void retry(RunId id) {
    RunRow row = row(id);
    if (row.parent() != null) {
      throw new RunStateException(
          id,
          row.state(),
          "retried alone",
          "retry its parent run %s, which has used its outcome.".formatted(row.parent().run()));
    }
    learn(row);
    RunControl.Result result = control("retry", id, c -> c.retry(id, catalog.reset()));
    if (!result.done()) {
      throw refused(
          id, result, "retried", "only one that failed, was cancelled or is paused can be.");
    }
  }

  @Override
  public RunId rerun(RunId id, RerunOptions options) {
    return starter.rerun(store, row(id), options, null);
  }

  /** Starts a new run under a given id. A repeat with the same id starts no second run. */
  public RunId rerun(RunId id, RerunOptions options, RunId fresh) {
    return starter.rerun(store, row(id), options, fresh);
  }

  @Override
  public void signal(
      RunId id, String signal, @Nullable Object payload, Consumer<SignalOptions.Builder> changes) {
    NewSignal fresh = newSignal(signal, payload, SignalOptions.of(changes));
    RunControl.Result result = control("signal", id, c -> c.signal(id, fresh));
    if (!result.done() && state(id, result).hasEnded()) {
      throw refused(id, result, "signalled", "it has ended.");
    }
  }

  /** The id is created here, so that a repeated call sends the signal once. */
  private NewSignal newSignal(String name, @Nullable Object payload, SignalOptions options) {
    return new NewSignal(
        Names.signal(name),
        options.id() == null ? ids.get().toString() : options.id(),
        payload == null ? null : starter.encode("signal '%s'".formatted(name), payload));
  }

  @Override
  public List<String> move(RunId id, String hash, boolean dryRun) {
    RunRow row = row(id);
    WorkflowCatalog.Move move = catalog.move(row, hash);
    MovePlan plan = move.plan();
    if (dryRun) {
      return Stream.concat(
              plan.differences().stream(),
              plan.refusals().stream().map(refusal -> "cannot be moved: " + refusal))
          .toList();
    }
    if (row.state().hasEnded() || !plan.refusals().isEmpty()) {
      throw new RunStateException(
          id,
          row.state(),
          "moved",
          row.state().hasEnded()
              ? "it has ended: start a new run instead."
              : String.join("; ", plan.refusals()));
    }
    RunControl.Result result = carryOut(row, move);
    if (!result.done()) {
      throw refused(id, result, "moved", "it has changed in the meantime: try again.");
    }
    return plan.differences();
  }

  private RunControl.Result carryOut(RunRow row, WorkflowCatalog.Move move) {
    MovePlan plan = move.plan();
    RunControl.Move to =
        new RunControl.Move(
            row.steps(), move.definition(), plan.letters(), plan.positions(), plan.jobs());
    try {
      return control("move", row.id(), c -> c.move(row.id(), to));
    } catch (RetiredDefinitionException retired) {
      throw new RunStateException(
          row.id(),
          row.state(),
          "moved",
          "the graph was not used for a long time and is retired: start a program that has this version of workflow '%s', then try again."
              .formatted(row.workflow()));
    }
  }

  @Override
  public List<String> recoverStuck() {
    return new StuckRuns(store, catalog, bus).recover();
  }

  /**
   * Reads the graphs of a run and of the runs below it, which a retry opens again inside the
   * transaction of the store. Another process may have started them.
   */
  private void learn(RunRow row) {
    catalog.graph(row.definition(), row.hash());
    for (RunId child : store.control().children(row.id())) {
      store.queries().find(child).ifPresent(this::learn);
    }
  }

  private RunRow row(RunId id) {
    return store.queries().find(id).orElseThrow(() -> new UnknownRunException(id));
  }

  /**
   * Carries out an operation, and notifies the nodes. After a lost reply it is repeated; a repeat
   * that finds nothing left to do counts as done, since the first call may have done it.
   */
  private RunControl.Result control(
      String what, RunId id, Function<RunControl, RunControl.Result> operation) {
    RunControl.Result result =
        StoreRetry.ask("%s run %s".formatted(what, id), before -> operation.apply(store.control()));
    if (result.before().isEmpty()) {
      throw new UnknownRunException(id);
    }
    result
        .ready()
        .forEach((queue, count) -> bus.publish(new Signal.NewWork(queue, MIDDLE_PRIORITY, count)));
    result.stopping().forEach(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
    if (!result.look().isEmpty()) {
      bus.publish(new Signal.RunsMarked(Duration.ZERO));
    }
    bus.changed(id);
    return result;
  }

  private static RunState state(RunId id, RunControl.Result result) {
    return result.before().orElseThrow(() -> new UnknownRunException(id));
  }

  private static RunStateException refused(
      RunId id, RunControl.Result result, String operation, String remedy) {
    return new RunStateException(id, state(id, result), operation, remedy);
  }
}
