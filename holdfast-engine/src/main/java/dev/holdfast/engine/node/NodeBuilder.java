package dev.holdfast.engine.node;

import dev.holdfast.api.EnqueueInterceptor;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.api.run.SecretSource;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.schedule.Recurring;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.NodeSettings.QueueSettings;
import dev.holdfast.engine.node.NodeSettings.StackSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.rule.Router;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Upkeep;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configures and starts a node. Every setting has a default; a node needs only a handler for each
 * task it runs. Invalid values are rejected by the method that sets them or by {@link #start},
 * before anything is started.
 *
 * <p>Patterns match task names, which consist of segments separated by {@code ::}. {@code *}
 * matches within a segment, {@code **} across segments.
 */
public final class NodeBuilder {
  private final NodeDraft draft;

  NodeBuilder(Store store) {
    this.draft = new NodeDraft(store);
  }

  /**
   * Runs jobs of this task with this handler. A node claims only jobs of tasks that it has a
   * handler for. Defaults to no tasks.
   */
  public <P, R> NodeBuilder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    draft.declared.handle(type, handler);
    return this;
  }

  /**
   * Runs jobs of this task, which has no result, with this handler. A node claims only jobs of
   * tasks that it has a handler for. Defaults to no tasks.
   */
  public <P> NodeBuilder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    draft.declared.handle(type, handler);
    return this;
  }

  /**
   * Declares a schedule. The node writes it when it starts; it is cancelled when no live node of
   * the {@link #application} declares it any more. A handler class can declare its schedules with
   * {@link Recurring} instead. Defaults to none.
   */
  public NodeBuilder recurring(Schedule schedule) {
    draft.declared.schedule(schedule);
    return this;
  }

  /**
   * Runs jobs of this task with this handler, and calls the recovery policy to decide about a job
   * whose node died while it ran the job. The policy is called only for jobs whose crash policy is
   * {@link dev.holdfast.api.policy.CrashPolicy#decidedByTask}. It has 5 s to decide; after three
   * failures the job is dead-lettered. Defaults to no recovery policy: such jobs are left to nodes
   * that have one, and dead-lettered if there is none, see {@link
   * LivenessSettings.Builder#awaitRecoveryPolicy}.
   */
  public <P, R> NodeBuilder handle(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      RecoveryPolicy<P> recovery) {
    draft.declared.handle(type, handler, recovery);
    return this;
  }

  /**
   * Runs jobs of this task, which has no result, with this handler, and calls the recovery policy
   * to decide about a job whose node died while it ran the job. Defaults to no recovery policy.
   *
   * @see #handle(TaskType, TaskHandler, RecoveryPolicy)
   */
  public <P> NodeBuilder handle(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler, RecoveryPolicy<P> recovery) {
    draft.declared.handle(type, handler, recovery);
    return this;
  }

  /**
   * Makes a workflow known: the node stores its graph when it starts, and runs the {@linkplain
   * Workflow#starter task that starts runs} of it for schedules, triggers and jobs. The handlers of
   * its steps are registered separately, on this node or on others. Clients can start runs of
   * workflows that no node knows. Defaults to no workflows.
   */
  public <I, R> NodeBuilder workflow(Workflow<I, R> workflow) {
    draft.declared.workflow(workflow);
    return this;
  }

  /**
   * Runs the task that starts runs of a workflow whose graph is stored, without the code of the
   * workflow. For servers, which start the runs of packages. Defaults to no workflows.
   *
   * @param workflow the name of the workflow
   * @param graph the hash of its graph
   */
  public NodeBuilder storedWorkflow(String workflow, String graph) {
    draft.declared.handle(
        TaskType.of(StarterTask.of(workflow), Object.class, String.class),
        new StoredRunStartHandler(graph));
    return this;
  }

  /**
   * Adds all handlers and workflows of a module, as if they were given to this builder one by one.
   * To install all modules of the class path:
   *
   * <pre>{@code
   * NodeBuilder builder = HoldfastNode.on(store);
   * ServiceLoader.load(TaskModule.class).forEach(builder::install);
   * }</pre>
   *
   * <p>Defaults to no modules.
   */
  public NodeBuilder install(TaskModule module) {
    module.configure(draft.declared);
    return this;
  }

  /**
   * Declares a trigger. The node writes it when it starts, replacing the trigger with the same id.
   * The trigger remains when the node stops. Defaults to none.
   */
  public NodeBuilder trigger(Trigger trigger) {
    draft.declared.triggers.add(trigger);
    return this;
  }

  /**
   * Adds a listener for lifecycle events of jobs, nodes and leases. Nothing ever waits for
   * listeners: events that listeners are too slow to process are dropped and counted. Defaults to
   * none, at no cost.
   */
  public NodeBuilder listener(LifecycleListener listener) {
    draft.listeners.add(listener);
    return this;
  }

  /**
   * Sets the application whose schedules this node declares. A schedule that no live node of its
   * application declares any more is cancelled, so programs that share a database and declare
   * different schedules need different application names. Defaults to {@code default}.
   */
  public NodeBuilder application(String name) {
    draft.application = Names.text("Application", name);
    draft.namedApplication = true;
    return this;
  }

  /**
   * Serves this queue and runs at most {@code concurrency} of its jobs at the same time on this
   * node. The node claims short jobs ahead, as many as will find a free slot when the claim
   * returns. Defaults to serving the queue {@code default} with a concurrency of 100; naming any
   * queue replaces that.
   */
  public NodeBuilder queue(String name, int concurrency) {
    return queue(name, new QueueSettings(concurrency, OptionalInt.empty()));
  }

  /**
   * Serves this queue, runs at most {@code concurrency} of its jobs at the same time on this node,
   * and claims at most {@code prefetch} more, whether jobs are short or not. Such jobs wait in this
   * node while others may be idle, and each costs a second write; 0 claims jobs for free slots
   * only. Defaults to no number: the node chooses by itself.
   */
  public NodeBuilder queue(String name, int concurrency, int prefetch) {
    return queue(name, new QueueSettings(concurrency, OptionalInt.of(prefetch)));
  }

  private NodeBuilder queue(String name, QueueSettings settings) {
    draft.queues.put(Names.queue(name), settings);
    return this;
  }

  /**
   * Limits how many jobs the node runs at the same time, over all queues. A higher limit uses more
   * memory and connections; a lower one leaves jobs waiting. Defaults to 200.
   */
  public NodeBuilder maxConcurrent(int most) {
    draft.maxConcurrent = most;
    return this;
  }

  /**
   * Limits how many jobs of each matching task this node runs at the same time. The first pattern
   * that matches a task applies. For a limit over all nodes, see {@link
   * dev.holdfast.api.Tasks#limit}. Defaults to no limit apart from those of the queue and the node.
   */
  public NodeBuilder limit(String pattern, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "A limit of %d for tasks '%s' is not valid: use at least 1, or disable these tasks with a mode."
              .formatted(most, pattern));
    }
    draft.limits.add(pattern, most);
    return this;
  }

  /**
   * Pauses each matching task for some time when it fails too often. Failures are counted over all
   * nodes that configure a breaker for the task, so configure it on each of them. The first pattern
   * that matches a task applies. Defaults to no breakers.
   */
  public NodeBuilder breaker(String pattern, CircuitBreaker breaker) {
    draft.breakers.add(pattern, breaker);
    return this;
  }

  /**
   * Sets the id of the node, of at most 64 characters. Live nodes should have different ids: jobs
   * belong to incarnations and stay safe if two nodes share an id, but operators cannot tell the
   * nodes apart. Defaults to the host name and the process id.
   */
  public NodeBuilder id(String name) {
    return identity(NodeIdentity.fixed(name));
  }

  /**
   * Sets where the id of the node comes from, for example {@link NodeIdentity#environment an
   * environment variable}. Called once, when the node is built. Defaults to the host name and the
   * process id.
   */
  public NodeBuilder identity(NodeIdentity callback) {
    draft.identity = callback;
    return this;
  }

  /**
   * Sets a display name, which need not be unique and should stay the same across restarts. Log
   * lines and spans contain it as {@code holdfast.name}, and meters as the tag {@code node}.
   * Defaults to none.
   */
  public NodeBuilder name(String readable) {
    draft.name = readable;
    return this;
  }

  /**
   * Makes the node part of a stack, for several groups of nodes that share a database, such as blue
   * and green. The node runs and recovers jobs of its stack and jobs that have no stack, and the
   * jobs it enqueues belong to its stack. Defaults to no stack: the node runs only jobs that have
   * none, and recovers the jobs of all stacks.
   */
  public NodeBuilder stack(String name) {
    draft.stack = name;
    return this;
  }

  /**
   * Runs jobs of these stacks, in addition to jobs that have no stack. Replaces {@link
   * #serveAllStacks}. Defaults to the node's own stack.
   */
  public NodeBuilder serveStacks(String... stacks) {
    draft.serves = Stream.of(stacks).map(StackSettings::checked).collect(Collectors.toSet());
    return this;
  }

  /**
   * Sets the stack of jobs and runs that the node's own client creates, by the name of the task or
   * workflow. For servers, whose stacks are versions of packages. Defaults to null for all names,
   * which means the node's own {@link #stack}.
   */
  public NodeBuilder stackOf(Function<String, @Nullable String> stacks) {
    draft.stacks = stacks;
    return this;
  }

  /**
   * Runs and recovers jobs of all stacks, including those that appear later, in addition to jobs
   * that have no stack. Jobs that the node enqueues still belong to its own {@link #stack}. Each
   * claim searches every stack that has ready jobs, so it costs more the more of these there are.
   * Replaces {@link #serveStacks}. Defaults to the node's own stack.
   */
  public NodeBuilder serveAllStacks() {
    draft.serves = Stacks.ALL;
    return this;
  }

  /**
   * Sets the mode that the node starts in: whether it runs jobs, only accepts and schedules them,
   * or does neither. It can be changed while the node runs, see {@link
   * HoldfastNode#mode(NodeMode)}. Defaults to {@link NodeMode#FULL}.
   */
  public NodeBuilder mode(NodeMode first) {
    draft.mode = first;
    return this;
  }

  /**
   * Runs matching tasks on the executor of this name: {@code virtual}, {@code platform}, or one
   * added with {@link #executor}. The first pattern that matches a task applies. Virtual threads
   * suit tasks that wait for I/O; use {@code platform} for CPU-bound tasks, because its number of
   * threads is bounded. Defaults to {@link #routeOthers} for all tasks.
   */
  public NodeBuilder route(String pattern, String executor) {
    draft.router = draft.router.route(pattern, executor);
    return this;
  }

  /**
   * Runs tasks that no {@link #route} matches on the executor of this name. Defaults to {@code
   * virtual}.
   */
  public NodeBuilder routeOthers(String executor) {
    draft.router = new Router(draft.router.rules(), executor);
    return this;
  }

  /**
   * Runs all tasks on the executor of this name, and removes every {@link #route}. For a node that
   * shares its configuration with others but not their executors, such as a node of a test.
   * Defaults to the routes.
   */
  public NodeBuilder routeAll(String executor) {
    draft.router = Router.toAll(executor);
    return this;
  }

  /**
   * Sets the number of threads of the executor {@code platform}, which is also the number of jobs
   * it runs at the same time. With more threads than processors, CPU-bound tasks slow each other
   * down; with fewer, processors stay idle. Defaults to the number of available processors.
   */
  public NodeBuilder platformThreads(int threads) {
    draft.platformThreads = threads;
    return this;
  }

  /**
   * Adds a custom executor that {@link #route} and {@link #routeOthers} can name. The node closes
   * it when it stops. Defaults to {@code virtual} and {@code platform} alone.
   */
  public NodeBuilder executor(TaskExecutor executor) {
    draft.ownExecutors.add(executor);
    return this;
  }

  /**
   * Runs this interceptor around each attempt of this node, inside those added before. Defaults to
   * none.
   */
  public NodeBuilder interceptAttempts(AttemptInterceptor inner) {
    draft.attemptInterceptors.add(inner);
    return this;
  }

  /**
   * Runs this interceptor around each enqueue of this node's client, and of the clients that
   * handlers get from their context, inside those added before. A client without a node has its own
   * interceptors, see {@link ClientSettings}. Defaults to none.
   */
  public NodeBuilder interceptEnqueues(EnqueueInterceptor inner) {
    draft.enqueueInterceptors.add(inner);
    return this;
  }

  /**
   * Sets where handlers get secrets from with {@link dev.holdfast.api.run.TaskContext#secret}.
   * Their values are hidden in what handlers report. Defaults to none: a handler that asks for one
   * fails.
   */
  public NodeBuilder secrets(SecretSource source) {
    draft.secrets = source;
    return this;
  }

  /**
   * Stores the last lines that handlers write with {@link dev.holdfast.api.run.TaskContext#log}
   * with their jobs. It costs a write of all kept lines of a job, at most once a second, while the
   * job logs. Defaults to 0, which stores none.
   *
   * @param lines how many lines of at most 500 characters to keep per job, 0 to 1000
   */
  public NodeBuilder keepJobLog(int lines) {
    if (lines < 0 || lines > 1_000) {
      throw new IllegalArgumentException(
          "Keeping %d log lines per job is not valid: use 0 (none) to 1000.".formatted(lines));
    }
    draft.jobLogLines = lines;
    return this;
  }

  /**
   * Sets the codec that encodes payloads and results. All nodes and clients that share tasks need
   * the same one. Defaults to JSON.
   */
  public NodeBuilder codec(PayloadCodec own) {
    draft.codec = own;
    return this;
  }

  /** Sets the registry for meters. Defaults to Micrometer's global registry. */
  public NodeBuilder meters(MeterRegistry registry) {
    draft.meters = registry;
    return this;
  }

  /**
   * Records each attempt as an OpenTelemetry span, and each pass of a background role that did some
   * work: a claim that got jobs, a sweep that recovered jobs, and passes that made due jobs ready,
   * fired schedules or deleted old data. Passes that find nothing to do are not recorded. Calls of
   * the node's own client are recorded too: see {@link ClientSettings#telemetry}, which links an
   * attempt to the call that created its job. Defaults to no spans, at no cost.
   */
  public NodeBuilder telemetry(OpenTelemetry traces) {
    draft.telemetry = traces;
    return this;
  }

  /**
   * Sets how nodes notify each other of new work and other changes. Give the same coordinator to
   * all nodes and clients. Defaults to the coordinator of the store, which for PostgreSQL is
   * LISTEN/NOTIFY.
   */
  public NodeBuilder coordinator(ClusterCoordinator own) {
    draft.coordinator = own;
    return this;
  }

  /**
   * Sets the TTL of the leases and locks of this node that are acquired without one, 100 ms to 365
   * days. A short TTL lets other nodes take over sooner after a crash; a long one survives longer
   * outages of the database. Defaults to 2 minutes.
   */
  public NodeBuilder leaseTtl(Duration ttl) {
    draft.leaseTtl = LeaseRequest.checkTtl("leases without one", ttl);
    return this;
  }

  /**
   * Keeps the leases, locks and start-up actions of this node in another store than its jobs, for
   * example in a database that several clusters share. All processes that compete for a lease need
   * the same one. Only a node whose jobs are in that store deletes its old leases. The lease of
   * {@linkplain LivenessSettings#singleNode single-node mode} always stays with the jobs. Defaults
   * to the store of the node.
   */
  public NodeBuilder leaseStore(LeaseStore own) {
    draft.leaseStore = own;
    return this;
  }

  /**
   * Sets how often the node polls for work when no notification arrives: after {@code burst} at
   * first, then less and less often while nothing is found, down to once per {@code deepIdle}.
   * Shorter intervals find work sooner whose notification was lost, at the price of more
   * statements. Defaults to 500 ms, backing off to 60 s.
   */
  public NodeBuilder poll(Duration burst, Duration deepIdle) {
    draft.burstPoll = burst;
    draft.deepIdlePoll = deepIdle;
    return this;
  }

  /**
   * Polls for work, due jobs and due schedules at least this often while the node cannot receive
   * notifications from other nodes, for example behind a connection pooler in transaction mode. A
   * shorter interval finds work sooner, at the price of a statement for each poll. Defaults to 1 s.
   */
  public NodeBuilder pollUnheard(Duration atMost) {
    draft.unheardPoll = atMost;
    return this;
  }

  /**
   * Changes some of the settings for heartbeats, timeouts and recovery and keeps the others.
   * Defaults to {@link LivenessSettings#DEFAULT}.
   */
  public NodeBuilder liveness(Consumer<LivenessSettings.Builder> changes) {
    return liveness(draft.liveness.with(changes));
  }

  /**
   * Sets all settings for heartbeats, timeouts and recovery, for example to {@link
   * LivenessSettings#FAST_FAILOVER}. Defaults to {@link LivenessSettings#DEFAULT}.
   */
  public NodeBuilder liveness(LivenessSettings settings) {
    draft.liveness = settings;
    return this;
  }

  /**
   * Sets how long ended jobs and dead-lettered jobs are kept, each at least an hour. Any node
   * deletes what is too old for the whole database, so give all nodes the same values. Defaults to
   * 14 days for ended jobs and 90 days for dead-lettered ones.
   */
  public NodeBuilder keep(Duration history, Duration deadLetter) {
    Upkeep.Retention always = new Upkeep.Retention(history, deadLetter);
    return keep(() -> always);
  }

  /**
   * Sets where the node reads how long ended jobs and dead-lettered jobs are kept, about once an
   * hour, for settings that change while it runs. Defaults to 14 days for ended jobs and 90 days
   * for dead-lettered ones, as long as the node runs.
   */
  public NodeBuilder keep(Supplier<Upkeep.Retention> latest) {
    draft.retention = latest;
    return this;
  }

  /**
   * Limits the size of an encoded result, in bytes of UTF-8. An attempt with a larger result fails.
   * Results are stored until their job is deleted, so a higher limit lets handlers return more, at
   * the price of a larger history. Defaults to 1 MiB.
   */
  public NodeBuilder resultLimit(int bytes) {
    draft.resultLimit = bytes;
    return this;
  }

  /**
   * Sets how long running jobs may continue when the node is closed, before they are interrupted.
   * Stopping takes at most 4 seconds longer than that. A longer grace lets more jobs finish; a
   * shorter one stops the node sooner. Defaults to 25 s, which fits into the 30 s after which
   * Kubernetes kills a process.
   */
  public NodeBuilder shutdownGrace(Duration grace) {
    draft.shutdownGrace = grace;
    return this;
  }

  /**
   * Sets how long a handler may take to end after it was interrupted because of its timeout. After
   * that its attempt counts as hung: the retry policy decides about the job, and the slot is lost
   * until the thread ends. A longer time lets handlers clean up; a shorter one lets the job be
   * retried sooner. See {@link #holdHungJobs} for what may then run at the same time. Defaults to
   * 10 s.
   */
  public NodeBuilder interruptPatience(Duration patience) {
    draft.interruptPatience = patience;
    return this;
  }

  /**
   * Keeps the job of a hung attempt on this node until the handler's thread or the process ends, so
   * that no second attempt runs at the same time. Until then the job is neither retried nor
   * dead-lettered. Defaults to giving the attempt up: the job is retried, possibly on another node,
   * while code of the first attempt still runs here; only the fencing token distinguishes the two.
   */
  public NodeBuilder holdHungJobs() {
    draft.holdsHungJobs = true;
    return this;
  }

  /**
   * Replaces at most this number of slots that hung attempts occupy, so that their queues continue
   * at full concurrency. This works only for executors with one thread per job, such as {@code
   * virtual}. The node then runs that many handlers more than its limits say, and each hung handler
   * keeps its memory, connections and locks, and its carrier thread if it computes. Defaults to 0:
   * a lost slot stays lost.
   */
  public NodeBuilder replaceLostSlots(int most) {
    draft.replacedSlots = most;
    return this;
  }

  /**
   * Sets the share of slots, from 0 to 1, that may be lost to hung attempts without being replaced.
   * While more are lost, {@link HoldfastNode#isReady} returns false, so that an orchestrator or an
   * alert notices. A smaller share reports a node sooner, although it still runs jobs in its other
   * slots. Defaults to 0.5.
   */
  public NodeBuilder maxLostShare(double share) {
    draft.maxLostShare = share;
    return this;
  }

  /**
   * Drains the node when the process is told to stop by SIGTERM, SIGINT or {@code System.exit}, and
   * then ends the process. All nodes of the process with this setting drain at the same time. A
   * second signal ends the process immediately. Defaults to leaving signals to the program, which
   * then has to call {@link HoldfastNode#close}.
   */
  public NodeBuilder stopOnSignals() {
    draft.stopsOnSignals = true;
    return this;
  }

  /**
   * Sets the limits, checks and outermost interceptors of the node's own {@link HoldfastNode#client
   * client}. Defaults to {@link ClientSettings#DEFAULT}.
   */
  public NodeBuilder client(ClientSettings settings) {
    draft.client = settings;
    return this;
  }

  /**
   * Replaces the clock, threads, ids and random numbers of the node, for simulations. Defaults to
   * {@link Environment#machine}.
   */
  public NodeBuilder environment(Environment own) {
    draft.environment = own;
    return this;
  }

  /** Returns the names of the tasks that have a handler. */
  public Set<String> taskNames() {
    return draft.declared.taskNames();
  }

  /** Returns the workflows that are known, except those of which only the graph is stored. */
  public List<Workflow<?, ?>> workflows() {
    return List.copyOf(draft.declared.workflows);
  }

  /**
   * Returns a hash of what the node stores when it starts: its workflows and schedules. Builders
   * that declare the same have the same hash, in every process of the same version of Holdfast.
   */
  public String declarations() {
    return draft.declared.hash(draft.application, draft.codec, draft.planner());
  }

  /**
   * Makes the node a part of a process that sends one heartbeat for all of its nodes, and shares
   * its slots among them. For servers with many tenants. The store must be one whose nodes belong
   * to that process. Defaults to a node that sends its own heartbeats.
   */
  public NodeBuilder partOf(NodeCore process, FairSlots.Share slots) {
    draft.core = process;
    draft.share = slots;
    return this;
  }

  /**
   * Starts the node. When this method returns, the node is registered and its roles run. If it
   * throws, nothing keeps running.
   *
   * @throws IllegalArgumentException if a setting is not valid; nothing was started
   * @throws dev.holdfast.api.HoldfastException if the node cannot join, because it or another node
   *     is in {@linkplain LivenessSettings#singleNode single-node mode}, or because the database
   *     fails
   */
  public HoldfastNode start() {
    HoldfastNode node = new Assembly(draft).assemble();
    node.start(draft::writeTriggers);
    if (draft.stopsOnSignals) {
      StopSignals.drain(node);
    }
    return node;
  }
}
