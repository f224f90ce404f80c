package dev.holdfast.engine.workflow;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Starter;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs: encodes the input, plans the first steps, writes the run with their jobs, repeats a
 * call whose reply was lost, and notifies the nodes.
 */
public final class RunStarter {
  private final WorkflowCatalog catalog;
  private final PayloadCodec codec;
  private final int payloadLimit;
  private final SignalBus bus;
  private final Supplier<UUID> ids;
  private final JobOrigin origin;

  public RunStarter(
      WorkflowCatalog catalog,
      PayloadCodec codec,
      int payloadLimit,
      SignalBus bus,
      Supplier<UUID> ids,
      JobOrigin origin) {
    this.catalog = catalog;
    this.codec = codec;
    this.payloadLimit = payloadLimit;
    this.bus = bus;
    this.ids = ids;
    this.origin = origin;
  }

  String encode(String owner, Object value) {
    return Encoding.payload(codec, value, owner, payloadLimit);
  }

  /** Starts a run in a new transaction. */
  <I, R> Started<R> start(
      RunIntake intake,
      Workflow<I, R> workflow,
      I input,
      RunOptions options,
      @Nullable NewSignal signal) {
    NewRun run = prepare(workflow, input, options);
    Admission admission =
        StoreRetry.ask(
            "start a run of %s".formatted(workflow),
            before -> intake.start(before == 0 ? run : run.repeated(), signal));
    announce(run, admission, signal != null);
    return new Started<>(admission.id(), admission.outcome(), workflow.resultType());
  }

  /**
   * Starts a run of the latest stored version of a workflow.
   *
   * @param input the input, encoded
   */
  Admission start(RunIntake intake, String workflow, String input, RunOptions options) {
    RunId id = options.id() != null ? options.id() : new RunId(ids.get());
    NewRun run =
        prepare(
            id,
            catalog.latest(workflow),
            workflow,
            Encoding.text(input, "workflow '%s'".formatted(workflow), payloadLimit),
            options);
    Admission admission =
        StoreRetry.ask(
            "start a run of %s".formatted(workflow),
            before -> intake.start(before == 0 ? run : run.repeated(), null));
    announce(run, admission, false);
    return admission;
  }

  /**
   * Returns a starter for an external transaction. It does not retry, since a failure aborts that
   * transaction.
   *
   * @param afterCommit receives the action that notifies nodes
   */
  public Starter in(RunIntake intake, Consumer<Runnable> afterCommit) {
    return new Starter() {
      @Override
      public <I, R> Started<R> start(Workflow<I, R> workflow, I input, RunOptions options) {
        NewRun run = prepare(workflow, input, options);
        Admission admission = intake.start(run, null);
        afterCommit.accept(() -> announce(run, admission, false));
        return new Started<>(admission.id(), admission.outcome(), workflow.resultType());
      }
    };
  }

  private <I> NewRun prepare(Workflow<I, ?> workflow, I input, RunOptions options) {
    RunId id = options.id() != null ? options.id() : new RunId(ids.get());
    return prepare(
        id,
        catalog.registered(workflow),
        workflow.name(),
        encode("workflow '%s'".formatted(workflow), input),
        options);
  }

  private NewRun prepare(
      RunId id, WorkflowCatalog.Registered known, String name, String text, RunOptions options) {
    String stack = origin.of(name).stack();
    RunPlan first =
        catalog
            .planner()
            .first(
                new GraphPlanner.Start(
                    id, known.stored().id(), text, options.priority(), stack, List.of()));
    return new NewRun(
        id,
        known.stored().id(),
        name,
        text,
        options.unique(),
        options.tags(),
        options.label(),
        options.priority(),
        Gates.of(known.graph(), text),
        null,
        null,
        List.of(),
        options.id() != null,
        first);
  }

  /**
   * Starts a run that repeats another one from some steps on.
   *
   * @param from the names of the steps; empty for all
   */
  RunId rerun(RunStore store, RunRow original, List<String> from, @Nullable String newInput) {
    Graph graph = catalog.graph(original.definition(), original.hash());
    List<RunPlan.Result> results = store.queries().results(original.id());
    String input = newInput == null ? original.input() : Encoding.storable(newInput);
    List<RunPlan.Result> inherited = Rerun.inherited(graph, original, from, results);
    RunId id = new RunId(ids.get());
    NewRun run =
        new NewRun(
            id,
            original.definition(),
            original.workflow(),
            input,
            null,
            original.tags(),
            original.label(),
            null,
            Gates.of(graph, input),
            null,
            original.id(),
            inherited,
            false,
            catalog
                .planner()
                .first(
                    new GraphPlanner.Start(
                        id, original.definition(), input, null, null, inherited)));
    Admission admission =
        StoreRetry.ask(
            "rerun %s".formatted(original.id()),
            before -> store.intake().start(before == 0 ? run : run.repeated(), null));
    announce(run, admission, false);
    return admission.id();
  }

  private void announce(NewRun run, Admission admission, boolean signalled) {
    boolean started = admission.outcome() == Started.Outcome.CREATED && !admission.queued();
    if (started) {
      Map<String, Signal.NewWork> fresh = new HashMap<>();
      RunPlans.jobs(run)
          .forEach(job ->
              fresh.merge(
                  job.job().queue(),
                  new Signal.NewWork(job.job().queue(), job.job().priority(), 1),
                  Signal.NewWork::and));
      fresh.values().forEach(bus::publish);
    }
    boolean look = signalled || admission.queued() || (started && run.first().more());
    if (look) {
      bus.publish(new Signal.RunsMarked(Duration.ZERO));
    } else if (started) {
      // Advancers sleep long while no run is open.
      bus.publish(
          new Signal.RunsMarked(
              RunPlans.firstTimer(run)
                  .filter(in -> in.compareTo(Advancer.BETWEEN_LOOKS) < 0)
                  .orElse(Advancer.BETWEEN_LOOKS)));
    }
  }
}
