package dev.holdfast.engine.node;

import dev.holdfast.engine.claim.PollBackoff;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.DrainNotice;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.LostSlots;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The components that the roles of a node share. */
final class NodeComponents {
  final NodeSettings settings;
  final Store store;
  final Environment environment;
  final Ticker ticker;
  final TaskRegistry tasks;
  final LogContext logs;
  final CurrentModes modes;
  final HoldfastLeases leases;
  final SingleNodeGuard singleNodeGuard;
  final CurrentIncarnation identity;
  final HeldJobs heldJobs;
  final NodeClaims claims;
  final QueueRules rules = new QueueRules();
  final TaskRules taskRules = new TaskRules();
  final AwaitedJobs awaited = new AwaitedJobs();
  final ClusterSize clusterSize = new ClusterSize();
  final SignalBus bus;
  final Meters meters;
  final LifecycleEvents events;
  final Telemetry telemetry;
  final LostSlots lost;
  final DrainNotice drain = new DrainNotice();
  final HoldfastClient client;

  /** Return whether the roles that store what the node declares have done so. */
  final List<BooleanSupplier> declared = new ArrayList<>();

  /** Whether the node is part of a process that sends one heartbeat for all of its nodes. */
  final boolean isPart;

  NodeComponents(NodeDraft from, NodeSettings settings) {
    this.settings = settings;
    this.isPart = from.core != null;
    this.store = from.store;
    this.environment = from.environment;
    this.ticker = environment.ticker();
    this.tasks = new TaskRegistry(from.declared.tasks);
    this.heldJobs = new HeldJobs(new SlowStart(settings.liveness().timeouts().running()), ticker);
    this.logs = new LogContext(settings.id(), settings.name());
    this.modes = new CurrentModes(new Modes(settings.stacks().mode(), Map.of()));
    this.meters = new Meters(from.meters, settings.name(), tasks.names());
    this.events =
        new LifecycleEvents(logs, from.listeners, LifecycleEvents.CAPACITY, meters, ticker);
    this.leases = leases(from, from.leaseStore()).defaultTtl(from.leaseTtl).events(events).build();
    // In the store of the jobs, which is what it protects, even if the leases of users are in
    // another one.
    this.singleNodeGuard =
        new SingleNodeGuard(store.nodes(), leases(from, store.leases()).build(), settings);
    this.identity =
        new CurrentIncarnation(
            settings.id(),
            new Tenure(
                environment.ids().get(),
                ticker,
                settings.liveness().allowed(),
                singleNodeGuard::isUnseated,
                ticker.now(),
                from.core == null ? null : from.core.tenure()));
    this.claims = new NodeClaims(identity, new ClaimCalls(), heldJobs);
    // So that log lines of the coordinator name this node.
    try (var speaking = logs.borrow()) {
      this.bus = new SignalBus(from.coordinator(), settings.poll().unheard());
    }
    this.telemetry =
        new Telemetry(
            meters, new RoleSpans(from.telemetry, settings.id(), settings.name()), events);
    this.client =
        new HoldfastClient(
            store,
            from.codec,
            bus,
            from.clientSettings(),
            environment.ids(),
            JobOrigin.onNode(settings.id(), settings.stacks().stack(), modes)
                .inStacks(from.stacks));
    this.lost = new LostSlots(settings.hung().replacedSlots(), meters, events);
  }

  private HoldfastLeases.Builder leases(NodeDraft from, LeaseStore in) {
    return HoldfastLeases.builder(in).node(logs).meters(from.meters).environment(environment);
  }

  /** Returns how often to poll at present. */
  PollBackoff pollBackoff() {
    return bus.hearsOthers() ? settings.poll() : settings.poll().whileUnheard();
  }

  /**
   * Creates a role of this node and returns what drives it, not started yet.
   *
   * @param role creates the role with the waker that ticks it early
   */
  <R extends Role> Driver.Driven<R> drive(Function<Waker, R> role) {
    return environment.driver().drive(role, logs::enter);
  }
}
