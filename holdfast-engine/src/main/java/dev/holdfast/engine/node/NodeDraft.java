package dev.holdfast.engine.node;

import dev.holdfast.api.EnqueueInterceptor;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.api.run.SecretSource;
import dev.holdfast.engine.claim.PollBackoff;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.node.NodeSettings.QueueSettings;
import dev.holdfast.engine.node.NodeSettings.StackSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.rule.Router;
import dev.holdfast.engine.rule.TaskPatternMap;
import dev.holdfast.engine.run.HungSettings;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.SchedulePlan;
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
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The values that a {@link NodeBuilder} has collected so far. Each field starts with the default
 * that the method of the builder documents.
 */
final class NodeDraft {
  final Store store;
  final NodeDeclarations declared = new NodeDeclarations();
  String application = "default";
  boolean namedApplication;

  NodeIdentity identity = NodeIdentity.hostAndPid();
  @Nullable String name;
  @Nullable String stack;
  @Nullable Set<String> serves;
  Function<String, @Nullable String> stacks = any -> null;
  NodeMode mode = NodeMode.FULL;
  @Nullable NodeCore core;
  FairSlots.@Nullable Share share;

  final Map<String, QueueSettings> queues = new LinkedHashMap<>();
  int maxConcurrent = 200;
  final TaskPatternMap<Integer> limits = new TaskPatternMap<>();
  final TaskPatternMap<CircuitBreaker> breakers = new TaskPatternMap<>();
  Router router = Router.toAll(TaskExecutor.VIRTUAL);
  int platformThreads = Runtime.getRuntime().availableProcessors();
  final List<TaskExecutor> ownExecutors = new ArrayList<>();
  int resultLimit = 1 << 20;
  int jobLogLines;
  Supplier<Upkeep.Retention> retention =
      () -> new Upkeep.Retention(Duration.ofDays(14), Duration.ofDays(90));

  Duration burstPoll = PollBackoff.DEFAULT.burst();
  Duration deepIdlePoll = PollBackoff.DEFAULT.deepIdle();
  Duration unheardPoll = PollBackoff.DEFAULT.unheard();
  LivenessSettings liveness = LivenessSettings.DEFAULT;
  @Nullable ClusterCoordinator coordinator;
  Environment environment = Environment.machine();

  Duration shutdownGrace = Duration.ofSeconds(25);
  boolean stopsOnSignals;
  Duration interruptPatience = HungSettings.DEFAULT.patience();
  boolean holdsHungJobs = HungSettings.DEFAULT.holdJobs();
  int replacedSlots = HungSettings.DEFAULT.replacedSlots();
  double maxLostShare = HungSettings.DEFAULT.mostLost();

  @Nullable LeaseStore leaseStore;
  Duration leaseTtl = LeaseRequest.DEFAULT_TTL;
  PayloadCodec codec = new JsonCodec();
  @Nullable SecretSource secrets;
  ClientSettings client = ClientSettings.DEFAULT;
  final List<AttemptInterceptor> attemptInterceptors = new ArrayList<>();
  final List<EnqueueInterceptor> enqueueInterceptors = new ArrayList<>();
  final List<LifecycleListener> listeners = new ArrayList<>();
  MeterRegistry meters = Metrics.globalRegistry;
  @Nullable OpenTelemetry telemetry;

  NodeDraft(Store store) {
    this.store = store;
  }

  /**
   * Returns the coordinator. Called as late as possible, because the coordinator of a store may
   * keep a connection open.
   */
  ClusterCoordinator coordinator() {
    return coordinator != null ? coordinator : store.coordinator();
  }

  LeaseStore leaseStore() {
    return leaseStore != null ? leaseStore : store.leases();
  }

  /** Returns the settings of the node's own client. */
  ClientSettings clientSettings() {
    return client.with(all -> {
      if (telemetry != null) {
        all.telemetry(telemetry);
      }
      enqueueInterceptors.forEach(all::interceptEnqueues);
    });
  }

  /** Returns the schedules that the node declares. */
  List<SchedulePlan> plans() {
    return declared.plans(codec, planner());
  }

  /** Returns what encodes the payloads of declared schedules. */
  Planner planner() {
    return new Planner(codec, client.payloadLimit(), JobOrigin.declared(stack));
  }

  /** Writes the declared triggers, unless the node starts disabled. */
  void writeTriggers() {
    if (mode != NodeMode.DISABLED) {
      declared.triggers.forEach(store.triggers()::put);
    }
  }

  /**
   * Returns the settings of the node, whose constructors check them.
   *
   * @throws IllegalArgumentException if a setting is not valid
   */
  NodeSettings settings() {
    return new NodeSettings(
        identity.id(),
        name,
        maxConcurrent,
        queues.isEmpty() ? Map.of(JobOptions.DEFAULT_QUEUE, QueueSettings.DEFAULT) : queues,
        router,
        platformThreads,
        new PollBackoff(burstPoll, deepIdlePoll, unheardPoll),
        liveness,
        new StackSettings(
            stack, serves != null ? serves : stack == null ? Set.of() : Set.of(stack), mode),
        retention,
        resultLimit,
        shutdownGrace,
        new HungSettings(interruptPatience, holdsHungJobs, replacedSlots, maxLostShare));
  }
}
