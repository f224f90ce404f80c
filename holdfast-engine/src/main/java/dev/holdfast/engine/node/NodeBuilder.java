package dev.holdfast.engine.node;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.schedule.Recurring;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.claim.PollBackoff;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.NodeSettings.QueueSettings;
import dev.holdfast.engine.node.NodeSettings.StackSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.rule.Router;
import dev.holdfast.engine.rule.TaskPatternMap;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.schedule.RecurringReader;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Upkeep;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a node is to do. Each method says what its setting defaults to; {@link
 * NodeSettings} says what they mean.
 */
public final class NodeBuilder {
  final Store store;
  final List<TaskRegistry.Registered<?, ?>> tasks = new ArrayList<>();
  final List<TaskExecutor> ownExecutors = new ArrayList<>();
  final List<LifecycleListener> listeners = new ArrayList<>();
  final List<Trigger> triggers = new ArrayList<>();
  final List<Function<PayloadCodec, Schedule>> declared = new ArrayList<>();
  final TaskPatternMap<Integer> limits = new TaskPatternMap<>();
  final TaskPatternMap<CircuitBreaker> breakers = new TaskPatternMap<>();
  String application = "default";
  boolean namedApplication;
  PayloadCodec codec = new JsonCodec();
  MeterRegistry meters = Metrics.globalRegistry;
  private @Nullable ClusterCoordinator coordinator;
  Environment environment = Environment.machine();
  ClientSettings client = ClientSettings.DEFAULT;
  private final Map<String, QueueSettings> queues = new LinkedHashMap<>();
  private NodeIdentity identity = NodeIdentity.hostAndPid();
  private @Nullable String name;
  @Nullable OpenTelemetry telemetry;
  private LivenessSettings liveness = LivenessSettings.DEFAULT;
  private @Nullable String stack;
  private @Nullable Set<String> serves;
  private NodeMode mode = NodeMode.FULL;
  private boolean stopsOnSignals;
  private int maxConcurrent = 200;
  private Router router = Router.toAll(TaskExecutor.VIRTUAL);
  private int platformThreads = Runtime.getRuntime().availableProcessors();
  private PollBackoff poll = PollBackoff.DEFAULT;
  private Upkeep.Retention retention =
      new Upkeep.Retention(Duration.ofDays(14), Duration.ofDays(90));
  private int resultLimit = 1 << 20;
  private Duration shutdownGrace = Duration.ofSeconds(25);
  private HungSettings hung = HungSettings.DEFAULT;

  NodeBuilder(Store store) {
    this.store = store;
  }

  /** Not before it is needed: that of a store may open a connection for good. */
  ClusterCoordinator coordinator() {
    return coordinator != null ? coordinator : store.coordinator();
  }

  /** Run jobs of this task by this code. */
  public <P, R> NodeBuilder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    return register(type, handler, Optional.empty());
  }

  /** Declare work that recurs; handlers can declare theirs by {@link Recurring}. */
  public NodeBuilder recurring(Schedule schedule) {
    declared.add(own -> schedule);
    return this;
  }

  /**
   * Run jobs of this task by this code, and ask this policy what becomes of one whose node died
   * while it ran. It is asked for jobs whose crash policy says so; see {@link
   * dev.holdfast.api.policy.CrashPolicy#decidedByTask}.
   */
  public <P, R> NodeBuilder handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler, RecoveryPolicy recovery) {
    return register(type, handler, Optional.of(recovery));
  }

  private <P, R> NodeBuilder register(
      TaskType<P, R> type,
      TaskHandler<? super P, ? extends R> handler,
      Optional<RecoveryPolicy> recovery) {
    tasks.add(new TaskRegistry.Registered<>(type, handler, recovery));
    for (Recurring recurring : handler.getClass().getAnnotationsByType(Recurring.class)) {
      declared.add(own -> new RecurringReader(own).read(recurring, type));
    }
    return this;
  }

  /**
   * Declare a trigger: it is written when the node starts, in place of the one of its id, and stays
   * when the node stops.
   */
  public NodeBuilder trigger(Trigger trigger) {
    triggers.add(trigger);
    return this;
  }

  /** Tell this listener what happens; defaults to nobody, which costs nothing. */
  public NodeBuilder listener(LifecycleListener listener) {
    listeners.add(listener);
    return this;
  }

  /**
   * Belong to this application; defaults to {@code default}. A schedule that no live node of an
   * application declares any more is cancelled, so programs that share a database but not their
   * declarations need names of their own.
   */
  public NodeBuilder application(String name) {
    this.application = Names.text("Application", name);
    this.namedApplication = true;
    return this;
  }

  /** Serve this queue, running so many of its jobs at once. Without any, serve {@code default}. */
  public NodeBuilder queue(String name, int concurrency) {
    return queue(name, concurrency, 0);
  }

  /** Serve this queue, and hold so many more jobs ready to begin. */
  public NodeBuilder queue(String name, int concurrency, int prefetch) {
    queues.put(Names.queue(name), new QueueSettings(concurrency, prefetch));
    return this;
  }

  /** Run at most so many jobs at once; defaults to 200. */
  public NodeBuilder maxConcurrent(int most) {
    this.maxConcurrent = most;
    return this;
  }

  /**
   * Run at most so many jobs at once of each task whose name matches; defaults to as many as its
   * queue and the node allow. The first rule that matches wins.
   */
  public NodeBuilder limit(String pattern, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "A limit of %d for task '%s' is not valid: give at least 1, or set the mode of the task."
              .formatted(most, pattern));
    }
    limits.add(pattern, most);
    return this;
  }

  /**
   * Leave each task whose name matches alone for a while when it fails too often; defaults to none.
   * Failures are counted over all nodes that say so, so say it on each. The first rule that matches
   * wins.
   */
  public NodeBuilder breaker(String pattern, CircuitBreaker breaker) {
    breakers.add(pattern, breaker);
    return this;
  }

  /** Be called this by people; defaults to the host name and the process id. */
  public NodeBuilder id(String name) {
    return identity(NodeIdentity.fixed(name));
  }

  /** Be called by people what this says; defaults to the host name and the process id. */
  public NodeBuilder identity(NodeIdentity callback) {
    this.identity = callback;
    return this;
  }

  /** Have a name besides, which need not be unique; defaults to none. */
  public NodeBuilder name(String readable) {
    this.name = readable;
    return this;
  }

  /** Belong to this fleet: run its jobs and those of no fleet, and make jobs that belong to it. */
  public NodeBuilder stack(String fleet) {
    this.stack = fleet;
    return this;
  }

  /** Run jobs of these fleets, besides those of no fleet; defaults to the node's own. */
  public NodeBuilder serveStacks(String... fleets) {
    this.serves = Set.of(fleets);
    return this;
  }

  /** Do this with work until told otherwise; defaults to all. */
  public NodeBuilder mode(NodeMode first) {
    this.mode = first;
    return this;
  }

  /** Send tasks whose name matches to an executor; the first rule that matches wins. */
  public NodeBuilder route(String pattern, String executor) {
    this.router = router.route(pattern, executor);
    return this;
  }

  /** Send tasks that no rule matches here; defaults to {@code virtual}. */
  public NodeBuilder routeOthers(String executor) {
    this.router = new Router(router.rules(), executor);
    return this;
  }

  /** Give the executor {@code platform} so many threads; defaults to the number of cores. */
  public NodeBuilder platformThreads(int threads) {
    this.platformThreads = threads;
    return this;
  }

  /** Bring an executor of one's own, for rules to name. */
  public NodeBuilder executor(TaskExecutor executor) {
    ownExecutors.add(executor);
    return this;
  }

  /** Read and write payloads by this; defaults to JSON. */
  public NodeBuilder codec(PayloadCodec own) {
    this.codec = own;
    return this;
  }

  /** Count and time here; defaults to Micrometer's global registry. */
  public NodeBuilder meters(MeterRegistry registry) {
    this.meters = registry;
    return this;
  }

  /** Make attempts visible as spans here; defaults to nowhere, which costs nothing. */
  public NodeBuilder telemetry(OpenTelemetry traces) {
    this.telemetry = traces;
    return this;
  }

  /** Hear of work by this; defaults to what the store offers. */
  public NodeBuilder coordinator(ClusterCoordinator own) {
    this.coordinator = own;
    return this;
  }

  /** Poll this often when nobody calls; defaults to every 500 ms, backing off to 60 s. */
  public NodeBuilder poll(Duration burst, Duration deepIdle) {
    this.poll = new PollBackoff(burst, deepIdle, poll.unheard());
    return this;
  }

  /**
   * Looks for work, due jobs and due schedules at least this often while the node cannot hear other
   * nodes, as behind a pooler that shares connections between transactions. Shorter finds work
   * sooner, at the price of a statement for each look. Defaults to 1 s.
   */
  public NodeBuilder pollUnheard(Duration atMost) {
    this.poll = new PollBackoff(poll.burst(), poll.deepIdle(), atMost);
    return this;
  }

  /** Change how it shows that it lives; see {@link LivenessSettings} for the defaults. */
  public NodeBuilder liveness(UnaryOperator<LivenessSettings.Builder> changes) {
    return liveness(liveness.with(changes));
  }

  /** Show that it lives like this, such as {@link LivenessSettings#FAST_FAILOVER}. */
  public NodeBuilder liveness(LivenessSettings settings) {
    this.liveness = settings;
    return this;
  }

  /** Keep ended jobs this long; defaults to 14 days, and 90 for the dead letter. */
  public NodeBuilder keep(Duration history, Duration deadLetter) {
    this.retention = new Upkeep.Retention(history, deadLetter);
    return this;
  }

  /** Refuse encoded results of more bytes than this, in UTF-8; defaults to 1 MiB. */
  public NodeBuilder resultLimit(int bytes) {
    this.resultLimit = bytes;
    return this;
  }

  /**
   * Lets running jobs go on for this time when the node is closed, before they are interrupted.
   * Stopping takes at most 4 seconds more than that. Defaults to 25 s, which fits into the 30 s
   * after which Kubernetes kills a process.
   */
  public NodeBuilder shutdownGrace(Duration grace) {
    this.shutdownGrace = grace;
    return this;
  }

  /**
   * Gives a handler this time to end after it was interrupted for its timeout, before its attempt
   * counts as hung: the job goes on by its retry policy, the slot is lost until the thread ends.
   * Defaults to 10 s. See {@link #holdHungJobs} for what may run at the same time then.
   */
  public NodeBuilder interruptPatience(Duration patience) {
    this.hung = new HungSettings(patience, hung.holdJobs(), hung.replacedSlots(), hung.mostLost());
    return this;
  }

  /**
   * Keeps the job of a hung attempt on this node until the thread of its handler ends or the
   * process does, so that no second attempt runs beside it. Such a job is neither retried nor
   * dead-lettered meanwhile. Defaults to giving the attempt up: the job is retried, on another node
   * perhaps, while code of the first attempt still runs here; only its fencing token tells them
   * apart.
   */
  public NodeBuilder holdHungJobs() {
    this.hung = new HungSettings(hung.patience(), true, hung.replacedSlots(), hung.mostLost());
    return this;
  }

  /**
   * Replaces at most this number of slots that hung attempts occupy, where each job has a thread of
   * its own, as on virtual threads: their queues go on at full width. The node then runs as many
   * handlers more than its limits say, and each of them keeps what it holds: memory, connections,
   * locks, and the carrier thread if it computes. Defaults to 0: a lost slot stays lost.
   */
  public NodeBuilder replaceLostSlots(int most) {
    this.hung = new HungSettings(hung.patience(), hung.holdJobs(), most, hung.mostLost());
    return this;
  }

  /**
   * Reports not ready while more than this share of the slots is lost to hung attempts and not
   * replaced, so that an orchestrator or an alarm notices. Defaults to 0.5.
   */
  public NodeBuilder maxLostShare(double share) {
    this.hung = new HungSettings(hung.patience(), hung.holdJobs(), hung.replacedSlots(), share);
    return this;
  }

  /**
   * Drains the node when the process is asked to stop, by SIGTERM, SIGINT or {@code System.exit},
   * together with all other nodes of the process that say so, and then ends the process; a second
   * signal ends it at once. Defaults to leaving signals to the program, which calls {@code close}.
   */
  public NodeBuilder stopOnSignals() {
    this.stopsOnSignals = true;
    return this;
  }

  /** How the node's own client behaves. */
  public NodeBuilder client(ClientSettings settings) {
    this.client = settings;
    return this;
  }

  /**
   * Live in these surroundings; defaults to the machine. For simulations, which hand in time,
   * threads, ids and chance of their own.
   */
  public NodeBuilder environment(Environment own) {
    this.environment = own;
    return this;
  }

  /**
   * Start the node.
   *
   * @throws IllegalArgumentException if a setting is wrong; nothing was started
   */
  public HoldfastNode start() {
    HoldfastNode node = new Assembly(this, settings()).assemble();
    node.start(() -> {
      if (mode != NodeMode.DISABLED) {
        triggers.forEach(store.triggers()::put);
      }
    });
    if (stopsOnSignals) {
      StopSignals.drain(node);
    }
    return node;
  }

  NodeSettings settings() {
    return new NodeSettings(
        identity.id(),
        name,
        maxConcurrent,
        queues.isEmpty() ? Map.of(JobOptions.DEFAULT_QUEUE, QueueSettings.DEFAULT) : queues,
        router,
        platformThreads,
        poll,
        liveness,
        new StackSettings(
            stack, serves != null ? serves : stack == null ? Set.of() : Set.of(stack), mode),
        retention,
        resultLimit,
        shutdownGrace,
        hung);
  }
}
