package dev.holdfast.engine.client;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.Counts;
import dev.holdfast.api.Enqueuer;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Nodes;
import dev.holdfast.api.Page;
import dev.holdfast.api.Queues;
import dev.holdfast.api.Runs;
import dev.holdfast.api.Tasks;
import dev.holdfast.api.TransactionScope;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Triggers;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.intake.JobSubmitter;
import dev.holdfast.engine.intake.ServedQueues;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.Awaiter;
import dev.holdfast.engine.query.EndWaiter;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.StoredSchedules;
import dev.holdfast.engine.store.JobControl;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.trigger.EventPublisher;
import dev.holdfast.engine.trigger.StoredTriggers;
import dev.holdfast.engine.workflow.GraphPlanner;
import dev.holdfast.engine.workflow.HandOver;
import dev.holdfast.engine.workflow.RunAwaiter;
import dev.holdfast.engine.workflow.RunCommands;
import dev.holdfast.engine.workflow.RunLookup;
import dev.holdfast.engine.workflow.RunStarter;
import dev.holdfast.engine.workflow.StoredRuns;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The client on any store: it validates what it is given, and notifies the nodes that are affected.
 *
 * <p>Use {@link #on(Store)} to create a client without a node. A node has its own client, see
 * {@code HoldfastNode.client()}.
 */
public final class HoldfastClient implements Holdfast {
  private static final int BULK = 1_000;
  private static final int MIDDLE_PRIORITY = 4;

  private final Store store;
  private final SignalBus bus;
  private final JobSubmitter submitter;
  private final EventPublisher publisher;
  private final Triggers triggers;
  private final Awaiter awaiter;
  private final WorkflowCatalog workflows;
  private final RunStarter runStarter;
  private final StoredRuns runs;
  private final JobSignals signals;
  private final StoredSchedules schedules;
  private final JobOrigin origin;
  private final Runnable onClose;

  /** Creates the client of a node, which shares the node's signal bus. */
  public HoldfastClient(
      Store store,
      PayloadCodec codec,
      SignalBus bus,
      ClientSettings settings,
      Supplier<UUID> ids,
      JobOrigin origin) {
    this(store, codec, bus, settings, ids, origin, () -> {});
  }

  private HoldfastClient(
      Store store,
      PayloadCodec codec,
      SignalBus bus,
      ClientSettings settings,
      Supplier<UUID> ids,
      JobOrigin origin,
      Runnable onClose) {
    this.store = store;
    this.bus = bus;
    ServedQueues declared = new ServedQueues(store.queues(), settings);
    this.submitter = new JobSubmitter(codec, settings, ids, declared, bus, origin);
    this.publisher = new EventPublisher(codec, settings, ids, bus, origin);
    this.triggers = new StoredTriggers(store.triggers(), declared);
    EndWaiter waiter = new EndWaiter(bus);
    this.awaiter = new Awaiter(store.queries(), codec, waiter);
    this.workflows = new WorkflowCatalog(store.runs().definitions(), codec, new GraphPlanner(ids));
    this.runStarter = new RunStarter(workflows, codec, settings, bus, ids, origin);
    RunLookup lookup = new RunLookup(store.runs().queries(), store.queries(), workflows);
    this.runs =
        new StoredRuns(
            store.runs(),
            runStarter,
            lookup,
            new RunAwaiter(lookup, codec, waiter),
            new RunCommands(store.runs(), lookup, workflows, bus));
    this.signals = new JobSignals(store.journals(), codec, settings.payloadLimit(), bus, ids);
    this.schedules =
        new StoredSchedules(
            store,
            new Planner(codec, settings.payloadLimit(), origin),
            origin,
            bus,
            ids,
            declared::check);
    this.origin = origin;
    this.onClose =
        () -> {
          waiter.close();
          onClose.run();
        };
  }

  /**
   * Creates a client without a node, with JSON payloads, {@link ClientSettings#DEFAULT} and the
   * coordinator of the store.
   */
  public static HoldfastClient on(Store store) {
    return on(store, new JsonCodec(), ClientSettings.DEFAULT);
  }

  /**
   * Creates a client without a node, with the coordinator of the store.
   *
   * @param codec encodes payloads and decodes results; must be the same as on the nodes
   * @param settings the limits and checks of the client; see {@link ClientSettings} for the
   *     defaults
   */
  public static HoldfastClient on(Store store, PayloadCodec codec, ClientSettings settings) {
    return on(store, codec, settings, store.coordinator());
  }

  /**
   * Creates a client without a node that notifies nodes through this coordinator.
   *
   * @param codec encodes payloads and decodes results; must be the same as on the nodes
   * @param settings the limits and checks of the client; see {@link ClientSettings} for the
   *     defaults
   * @param coordinator the one that the nodes use; with another one they find work only by polling
   */
  public static HoldfastClient on(
      Store store, PayloadCodec codec, ClientSettings settings, ClusterCoordinator coordinator) {
    return on(store, codec, settings, coordinator, JobOrigin.NONE);
  }

  /**
   * Creates a client without a node, for a program that decides about the stack of each job.
   *
   * @param codec encodes payloads and decodes results; must be the same as on the nodes
   * @param origin determines the stacks of jobs and runs
   * @see #on(Store, PayloadCodec, ClientSettings, ClusterCoordinator)
   */
  public static HoldfastClient on(
      Store store,
      PayloadCodec codec,
      ClientSettings settings,
      ClusterCoordinator coordinator,
      JobOrigin origin) {
    SignalBus bus = new SignalBus(coordinator);
    return new HoldfastClient(
        store, codec, bus, settings, UuidCreator::getTimeOrderedEpochPlus1, origin, bus::close);
  }

  /**
   * Returns a client whose jobs know the job that enqueued them as their parent. It shares the
   * resources of this client, and closing it has no effect.
   */
  public Holdfast childrenOf(JobId parent) {
    return from(own -> own.childrenOf(parent));
  }

  /**
   * Returns a client whose jobs have another origin. It shares the resources of this client, and
   * closing it has no effect.
   *
   * @param change returns the origin of its jobs, by that of this client
   */
  public Holdfast from(UnaryOperator<JobOrigin> change) {
    JobOrigin other = change.apply(origin);
    return new HoldfastClient(this, submitter.from(other), publisher.from(other), other);
  }

  private HoldfastClient(
      HoldfastClient from, JobSubmitter submitter, EventPublisher publisher, JobOrigin origin) {
    this.store = from.store;
    this.bus = from.bus;
    this.submitter = submitter;
    this.publisher = publisher;
    this.triggers = from.triggers;
    this.awaiter = from.awaiter;
    this.workflows = from.workflows;
    this.runStarter = from.runStarter;
    this.runs = from.runs;
    this.signals = from.signals;
    this.schedules = from.schedules;
    this.origin = origin;
    this.onClose = () -> {};
  }

  @Override
  public <P, R> Enqueued<R> enqueue(JobRequest<P, R> request) {
    return submitter.enqueue(store.intake(), request);
  }

  @Override
  public List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests) {
    return submitter.enqueueAll(store.intake(), requests);
  }

  @Override
  public TransactionScope in(Connection transaction) {
    return in(transaction, true, done -> {});
  }

  @Override
  public TransactionScope in(Connection transaction, Consumer<Runnable> afterCommit) {
    return in(transaction, false, afterCommit);
  }

  private TransactionScope in(
      Connection transaction, boolean wakes, Consumer<Runnable> afterCommit) {
    Enqueuer enqueuer = submitter.enqueuer(store.intakeIn(transaction, wakes), afterCommit);
    return new TransactionScope() {
      @Override
      public <I, R> Started<R> start(Workflow<I, R> workflow, I input, RunOptions options) {
        return runStarter
            .in(store.runs().intakeIn(transaction, wakes), afterCommit)
            .start(workflow, input, options);
      }

      @Override
      public <P, R> Enqueued<R> enqueue(JobRequest<P, R> request) {
        return enqueuer.enqueue(request);
      }

      @Override
      public List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests) {
        return enqueuer.enqueueAll(requests);
      }

      @Override
      public Published publish(String event, Object payload) {
        return publisher.publishOnce(
            store.eventsIn(transaction, wakes), event, payload, afterCommit);
      }
    };
  }

  @Override
  public Published publish(String event, Object payload) {
    return publisher.publish(store.events(), event, payload);
  }

  /**
   * Publishes an event under a given id. A repeat with the same id starts no second job, even when
   * the windows of the triggers are over.
   */
  public Published publish(String event, Object payload, UUID call) {
    return publisher.publish(store.events(), event, payload, call);
  }

  /** Fires a schedule under a given id. A repeat with the same id fires no second job. */
  public FireResult fire(String schedule, JobId job) {
    return schedules.fire(schedule, job);
  }

  /**
   * Starts a new run from the results of another one under a given id, as {@link Runs#rerun} does.
   * A repeat with the same id starts no second run.
   */
  public RunId rerun(RunId original, RerunOptions options, RunId fresh) {
    return runs.rerun(original, options, fresh);
  }

  @Override
  public Triggers triggers() {
    return triggers;
  }

  @Override
  public Optional<Job> find(JobId id) {
    return Optional.ofNullable(store.queries().find(List.of(id)).get(id));
  }

  @Override
  public <R> @Nullable R await(JobId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return awaiter.await(id, resultType, atMost);
  }

  @Override
  public <R> CompletionStage<@Nullable R> awaitAsync(
      JobId id, TypeRef<R> resultType, Duration atMost) {
    return awaiter.awaitAsync(id, resultType, atMost);
  }

  @Override
  public List<Job> list(JobFilter filter, Page<JobId> page) {
    return store.queries().list(filter, page.after().orElse(null), page.limit());
  }

  @Override
  public Counts<JobState> count(JobFilter filter) {
    return store.queries().count(filter);
  }

  @Override
  public Optional<WaitReason> whyWaiting(JobId id) {
    return store.queries().whyWaiting(id);
  }

  @Override
  public CancelResult cancel(JobId id) {
    CancelResult result = store.control().cancel(id);
    if (result == CancelResult.REQUESTED) {
      store
          .nodes()
          .holderOf(id)
          .ifPresent(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
    } else if (result == CancelResult.CANCELLED) {
      bus.publish(new Signal.JobEnded(id));
      bus.publish(new Signal.RunsMarked(Duration.ZERO)); // It may have been a step of a run.
    }
    return result;
  }

  @Override
  public RequeueResult requeue(JobId id) {
    RequeueResult result = store.control().requeue(id);
    if (result == RequeueResult.REQUESTED) {
      store
          .nodes()
          .holderOf(id)
          .ifPresent(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
    } else if (result == RequeueResult.READY) {
      find(id).ifPresent(job -> bus.publish(new Signal.NewWork(job.queue(), job.priority())));
    }
    return result;
  }

  @Override
  public SignalResult signal(
      JobId id, String signal, @Nullable Object payload, Consumer<SignalOptions.Builder> changes) {
    return signals.send(id, signal, payload, SignalOptions.of(changes));
  }

  @Override
  public Runs runs() {
    return runs;
  }

  /** Lets the node of this client start the first steps of runs without a claim. */
  public void handOver(HandOver to) {
    runStarter.handOver(to);
  }

  /** Returns the graphs of workflows that this client knows. */
  public WorkflowCatalog workflows() {
    return workflows;
  }

  @Override
  public Nodes nodes() {
    return new StoredNodes(store.nodes(), bus);
  }

  @Override
  public RetryResult retry(JobId id) {
    RetryResult result = store.control().retry(id);
    if (result == RetryResult.READY) {
      find(id).ifPresent(job -> announce(List.of(job.queue())));
    }
    return result;
  }

  @Override
  public long retryAll(JobFilter filter) {
    return inSteps(until -> {
      JobControl.Step step = store.control().retryAll(filter, until, BULK);
      announce(step.jobs().keySet());
      return step;
    });
  }

  @Override
  public long purge(JobFilter filter) {
    return inSteps(until -> store.control().purge(filter, until, BULK));
  }

  /** Repeats a step until it finds no more jobs that were dead-lettered before the first step. */
  private static long inSteps(Function<@Nullable Instant, JobControl.Step> next) {
    long total = 0;
    Instant until = null;
    while (true) {
      JobControl.Step step = next.apply(until);
      total += step.count();
      if (step.count() < BULK) {
        return total;
      }
      until = step.until();
    }
  }

  private void announce(Collection<String> queues) {
    queues.forEach(queue -> bus.publish(new Signal.NewWork(queue, MIDDLE_PRIORITY)));
  }

  @Override
  public Queues queues() {
    return new StoredQueues(store.queues(), bus);
  }

  @Override
  public Tasks tasks() {
    return new StoredTasks(store.tasks(), bus);
  }

  @Override
  public Schedules schedules() {
    return schedules;
  }

  @Override
  public void close() {
    onClose.run();
  }
}
