package dev.holdfast.engine.workflow;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Starter;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.meter.CallSpans;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.StartHere;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs: encodes the input, plans the first steps, writes the run with their jobs, repeats a
 * call whose reply was lost, and notifies the nodes.
 */
public final class RunStarter {
  private static final String START = "start";
  private static final String RUN = "holdfast.run";

  private final WorkflowCatalog catalog;
  private final PayloadCodec codec;
  private final int payloadLimit;
  private final SignalBus bus;
  private final Supplier<UUID> ids;
  private final JobOrigin origin;
  private final CallSpans spans;
  private volatile HandOver handOver = HandOver.NONE;

  public RunStarter(
      WorkflowCatalog catalog,
      PayloadCodec codec,
      ClientSettings settings,
      SignalBus bus,
      Supplier<UUID> ids,
      JobOrigin origin) {
    this.catalog = catalog;
    this.codec = codec;
    this.payloadLimit = settings.payloadLimit();
    this.spans = CallSpans.of(settings.telemetry());
    this.bus = bus;
    this.ids = ids;
    this.origin = origin;
  }

  /** Sets what starts the first steps of runs without a claim. */
  public void handOver(HandOver to) {
    this.handOver = to;
  }

  /**
   * Encodes a signal. Unless the caller has chosen its id, the id is created here, so that a
   * repeated call sends the signal once.
   */
  NewSignal signal(String name, @Nullable Object payload, SignalOptions options) {
    return new NewSignal(
        Names.signal(name),
        options.id() == null ? ids.get().toString() : options.id(),
        payload == null ? null : encode("signal '%s'".formatted(name), payload));
  }

  private String encode(String owner, Object value) {
    return Encoding.payload(codec, value, owner, payloadLimit);
  }

  /** Starts a run in a new transaction. */
  <I, R> Started<R> start(
      RunIntake intake,
      Workflow<I, R> workflow,
      I input,
      RunOptions options,
      @Nullable NewSignal signal) {
    return traced(
        workflow,
        trace ->
            typed(
                write(intake, prepare(workflow, input, options, null, null, trace), signal),
                workflow));
  }

  /**
   * Starts a run for a job.
   *
   * @param stack the stack of the job; null for that of this process
   * @param cause the schedule or trigger that created the job; null for none
   */
  <I, R> Started<R> startFor(
      RunIntake intake,
      Workflow<I, R> workflow,
      I input,
      RunOptions options,
      @Nullable String stack,
      @Nullable JobCause cause) {
    return traced(
        workflow,
        trace ->
            typed(
                write(intake, prepare(workflow, input, options, stack, cause, trace), null),
                workflow));
  }

  /**
   * Starts a run of a stored graph for a job.
   *
   * @param hash the hash of the graph
   * @param input the encoded input
   * @param stack the stack of the job; null for that of this process
   * @param cause the schedule or trigger that created the job; null for none
   */
  Started<Object> startFor(
      RunIntake intake,
      String hash,
      String input,
      RunOptions options,
      @Nullable String stack,
      @Nullable JobCause cause) {
    WorkflowCatalog.Registered known = catalog.current(hash);
    return spans.call(
        START,
        known.graph().name(),
        call -> {
          NewRun run = prepare(known, input, options, stack, cause, call.trace());
          Admission admission = write(intake, run, null);
          call.note(RUN, admission.id());
          return new Started<>(admission.id(), admission.outcome(), TypeRef.of(Object.class));
        });
  }

  private static <R> Started<R> typed(Admission admission, Workflow<?, R> workflow) {
    return new Started<>(admission.id(), admission.outcome(), workflow.resultType());
  }

  /**
   * Starts a run of the graph of this name that the origin names, or that was stored last, in a new
   * transaction.
   *
   * @param input the encoded input
   */
  Started<Object> start(RunIntake intake, String workflow, String input, RunOptions options) {
    String text = Encoding.bounded(input, "workflow '%s'".formatted(workflow), payloadLimit);
    return spans.call(
        START,
        workflow,
        call -> {
          String hash = origin.graph(workflow);
          WorkflowCatalog.Registered known =
              hash == null ? catalog.latest(workflow) : catalog.current(hash);
          NewRun run = prepare(known, text, options, null, null, call.trace());
          Admission admission = write(intake, run, null);
          call.note(RUN, admission.id());
          return new Started<>(admission.id(), admission.outcome(), TypeRef.of(Object.class));
        });
  }

  private Admission write(RunIntake intake, NewRun run, @Nullable NewSignal signal) {
    Admission admission =
        StoreRetry.ask(
            "start a run of %s".formatted(run.content().workflow()),
            before ->
                before == 0
                    ? startHere(intake, run, signal)
                    : known(run, intake.start(run.repeated(), signal, StartHere.NOTHING)));
    announce(run, admission, signal != null);
    return admission;
  }

  /** Starts a run, and its first steps on this node if it has slots for them. */
  private Admission startHere(RunIntake intake, NewRun run, @Nullable NewSignal signal) {
    boolean simple =
        signal == null && startsAtOnce(run) && RunAdvance.Express.isExpress(run.first());
    HandOver.Offer offer =
        simple
            ? handOver.offer(RunPlans.jobs(run).map(RunPlan.Job::job).toList())
            : HandOver.Offer.NONE;
    Admission admission;
    try {
      admission = intake.start(run, signal, offer.here());
    } catch (RuntimeException | Error failure) {
      offer.lose();
      throw failure;
    }
    offer.accept(known(run, admission).started());
    return admission;
  }

  /** Returns whether no other run can keep this one from starting: a store starts no other here. */
  private static boolean startsAtOnce(NewRun run) {
    return run.content().unique() == null && run.content().gate() == null && !run.mayExist();
  }

  /** Learns a run that this process has created. */
  private Admission known(NewRun run, Admission admission) {
    if (admission.outcome() == Started.Outcome.CREATED && !admission.queued()) {
      catalog.known().started(run);
    }
    return admission;
  }

  private <R> Started<R> traced(Workflow<?, ?> workflow, Starting<R> start) {
    return spans.call(
        START,
        workflow.name(),
        call -> {
          Started<R> started = registered(workflow, () -> start.start(call.trace()));
          call.note(RUN, started.id());
          return started;
        });
  }

  /** Starts a run with the trace context of its call, if it has one. */
  @FunctionalInterface
  private interface Starting<R> {
    Started<R> start(@Nullable String trace);
  }

  /** Repeats a start if this process registered the workflow so long ago that it is retired. */
  private <T> T registered(Workflow<?, ?> workflow, Supplier<T> start) {
    try {
      return start.get();
    } catch (RetiredDefinitionException retired) {
      catalog.forget(workflow);
      return start.get();
    }
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
        return traced(
            workflow,
            trace -> {
              NewRun run = prepare(workflow, input, options, null, null, trace);
              Admission admission = intake.start(run, null, StartHere.NOTHING);
              afterCommit.accept(() -> announce(run, admission, false));
              return typed(admission, workflow);
            });
      }
    };
  }

  private <I> NewRun prepare(
      Workflow<I, ?> workflow,
      I input,
      RunOptions options,
      @Nullable String stack,
      @Nullable JobCause cause,
      @Nullable String trace) {
    WorkflowCatalog.Registered known = catalog.registered(workflow);
    String text = encode("workflow '%s'".formatted(workflow), input);
    return prepare(known, text, options, stack, cause, trace);
  }

  private NewRun prepare(
      WorkflowCatalog.Registered known,
      String text,
      RunOptions options,
      @Nullable String stack,
      @Nullable JobCause cause,
      @Nullable String trace) {
    RunId id = options.id() != null ? options.id() : new RunId(ids.get());
    String workflow = known.graph().name();
    RunSource source =
        new RunSource(
            stack != null ? stack : origin.of(workflow).stack(),
            JobTrace.with(StartedBy.text(cause, text), trace));
    RunPlan first =
        catalog
            .planner()
            .first(
                new GraphPlanner.Start(
                    id, known.stored().id(), text, options.priority(), source, List.of()));
    return new NewRun(
        id,
        options.id() != null,
        new NewRun.Content(
            known.stored().id(),
            workflow,
            text,
            options.unique(),
            options.tags(),
            options.label(),
            options.priority(),
            Gates.of(known.graph(), text),
            null,
            null,
            source,
            List.of()),
        first);
  }

  /**
   * Starts a run that repeats another one from some steps on.
   *
   * @param repeatable the id of the new run, if the call may be repeated; null for a new id
   */
  RunId rerun(RunStore store, RunRow original, RerunOptions options, @Nullable RunId repeatable) {
    return spans.call(
        "rerun",
        original.workflow(),
        call -> {
          RunId id = rerun(store, original, options, repeatable, call.trace());
          call.note(RUN, id);
          return id;
        });
  }

  private RunId rerun(
      RunStore store,
      RunRow original,
      RerunOptions options,
      @Nullable RunId repeatable,
      @Nullable String trace) {
    Graph graph = catalog.graph(original.definition(), original.hash());
    catalog.learnChildren(graph);
    List<RunPlan.Result> results = store.queries().results(original.id());
    String input =
        options.input() == null
            ? original.input()
            : Encoding.bounded(
                options.input(), "workflow '%s'".formatted(original.workflow()), payloadLimit);
    Rerun kept = Rerun.of(graph, original, options, results, payloadLimit);
    RunId id = repeatable == null ? new RunId(ids.get()) : repeatable;
    RunSource source = sourceOf(original, options.input() != null, trace);
    NewRun run =
        new NewRun(
            id,
            repeatable != null,
            new NewRun.Content(
                original.definition(),
                original.workflow(),
                input,
                null,
                original.tags(),
                original.label(),
                original.priority(),
                Gates.of(graph, input),
                null,
                original.id(),
                source,
                kept.results()),
            catalog
                .planner()
                .first(
                    new GraphPlanner.Start(
                        id,
                        original.definition(),
                        input,
                        original.priority(),
                        source,
                        kept.results(),
                        kept.edited())));
    Admission admission =
        StoreRetry.ask(
            "rerun %s".formatted(original.id()),
            before ->
                store.intake().start(before == 0 ? run : run.repeated(), null, StartHere.NOTHING));
    announce(run, admission, false);
    return admission.id();
  }

  /** A run that repeats another one belongs to the same stack, and has the same event. */
  private RunSource sourceOf(RunRow original, boolean edited, @Nullable String trace) {
    String stack = original.source().stack();
    String startedBy = original.source().startedBy();
    return new RunSource(
        stack != null ? stack : origin.of(original.workflow()).stack(),
        JobTrace.with(
            edited ? StartedBy.withPayload(startedBy, original.input()) : startedBy, trace));
  }

  private void announce(NewRun run, Admission admission, boolean signalled) {
    // A run that exists under its own id was created by a call whose reply was lost.
    boolean created =
        admission.outcome() == Started.Outcome.CREATED || admission.id().equals(run.id());
    boolean started = created && !admission.queued();
    if (started) {
      Map<String, Signal.NewWork> fresh = new HashMap<>();
      Set<JobId> here =
          admission.started().stream().map(ClaimedJob::id).collect(Collectors.toSet());
      RunPlans.jobs(run)
          .filter(job -> !here.contains(job.job().id()))
          .forEach(job ->
              fresh.merge(
                  job.job().content().queue(),
                  new Signal.NewWork(
                      job.job().content().queue(), job.job().content().priority(), 1),
                  Signal.NewWork::and));
      fresh.values().forEach(bus::publish);
    }
    // Otherwise the handlers of the runs that it replaces continue until the next heartbeat.
    admission.stopping().forEach(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
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
