package dev.holdfast.engine.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.liveness.ClaimReconciler;
import dev.holdfast.engine.liveness.Fence;
import dev.holdfast.engine.liveness.Heart;
import dev.holdfast.engine.liveness.HeartbeatInterval;
import dev.holdfast.engine.liveness.IncarnationFactory;
import dev.holdfast.engine.liveness.Sweeper;
import dev.holdfast.engine.liveness.Watchdog;
import dev.holdfast.engine.liveness.WatchedNodes;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.time.Deadline;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the nodes of one process share if they work on many schemas: one registration, one heartbeat
 * and one watch of other processes, however many nodes there are.
 *
 * <p>A node that is part of it may act only while the process may: its tenure is inside that of the
 * process. When the process cannot prove in time that it is alive, all of its nodes are fenced. The
 * process registers again only after the code of all of them has ended or had its time to end,
 * because from then on other processes may run their jobs.
 */
public final class NodeCore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NodeCore.class);
  private static final Duration TO_END = Duration.ofSeconds(3);

  /**
   * How a process registers.
   *
   * @param roles what it does
   * @param capacity how many jobs its nodes run at the same time
   */
  public record Settings(
      String id,
      @Nullable String name,
      Set<String> queues,
      Set<String> tasks,
      Set<String> roles,
      int capacity,
      Modes modes,
      LivenessSettings liveness) {}

  /** A node of the process. */
  interface Part {
    /** Returns whether it is fenced, and other processes may run its jobs. */
    boolean isSettled();

    /** Checks whether it must be fenced. */
    void look();
  }

  private final NodeStore processes;
  private final Settings settings;
  private final LogContext logs;
  private final CurrentIncarnation identity;
  private final SignalBus bus;
  private final Fence fence;
  private final Driver.Driven<Heart> beating;
  private final Driver.Driven<Watchdog> guarding;
  private final Driver.Driven<Sweeper> sweeping;
  private final Runnable subscription;
  private volatile Modes modes;
  private final List<Part> parts = new CopyOnWriteArrayList<>();

  private NodeCore(
      NodeStore processes,
      ClusterCoordinator coordinator,
      Settings settings,
      MeterRegistry registry,
      Environment environment,
      Consumer<List<UUID>> onDead) {
    this.processes = processes;
    this.settings = settings;
    this.modes = settings.modes();
    this.logs = new LogContext(settings.id(), settings.name());
    LivenessSettings liveness = settings.liveness();
    var ticker = environment.ticker();
    Meters meters = new Meters(registry, settings.name(), Set.of());
    LifecycleEvents events =
        new LifecycleEvents(logs, List.of(), LifecycleEvents.CAPACITY, meters, ticker);
    Telemetry telemetry =
        new Telemetry(meters, new RoleSpans(null, settings.id(), settings.name()), events);
    this.identity =
        new CurrentIncarnation(
            settings.id(),
            new Tenure(
                environment.ids().get(), ticker, liveness.allowed(), () -> false, ticker.now()));
    HeldJobs none = new HeldJobs(new SlowStart(liveness.timeouts().running()), ticker);
    this.fence = new Fence(identity, none, meters, events, ticker, liveness.margin());
    try (var speaking = logs.borrow()) {
      this.bus = new SignalBus(coordinator);
    }
    Driver driver = environment.driver();
    this.sweeping =
        driver.drive(
            waker ->
                Sweeper.reporting(
                    new WatchedNodes(processes, identity::incarnation, bus, telemetry),
                    liveness.sweep(),
                    onDead,
                    telemetry,
                    environment,
                    waker),
            logs::enter);
    this.beating =
        driver.drive(
            waker ->
                new Heart(
                    processes,
                    new IncarnationFactory(
                        identity,
                        environment.ids(),
                        ticker,
                        liveness.allowed(),
                        this::isUnsettled,
                        this::registration,
                        () -> modes),
                    fence,
                    ClaimReconciler.ofNothing(new NodeClaims(identity, new ClaimCalls(), none)),
                    HeartbeatInterval.of(
                        liveness.heartbeat(),
                        liveness.timeouts().shorter(),
                        settings.capacity(),
                        liveness.keepHeartbeats()),
                    () -> Lost.NONE,
                    listener()),
            logs::enter);
    this.guarding =
        driver.drive(
            waker ->
                new Watchdog(
                    identity, fence, liveness.timeouts().running().dividedBy(10), this::alarm),
            logs::enter);
    this.subscription = bus.listen(this::hear);
  }

  /**
   * Registers a process and starts its heartbeat.
   *
   * @param processes where processes register
   * @param environment drives the roles of the process alone: a heartbeat must not wait for others
   * @param onDead takes care of what dead processes have left; called again until nothing is left
   */
  public static NodeCore start(
      NodeStore processes,
      ClusterCoordinator coordinator,
      Settings settings,
      MeterRegistry registry,
      Environment environment,
      Consumer<List<UUID>> onDead) {
    NodeCore core = new NodeCore(processes, coordinator, settings, registry, environment, onDead);
    try (var speaking = core.logs.borrow()) {
      core.beating.role().register();
    } catch (RuntimeException failure) {
      core.release();
      throw failure;
    }
    core.bus.publish(new Signal.NodeJoined());
    core.beating.start();
    core.guarding.start();
    core.sweeping.start();
    return core;
  }

  private Heart.Listener listener() {
    return new Heart.Listener() {
      @Override
      public Consumer<HeartbeatReply> beforeHeartbeat() {
        return reply -> modes = reply.modes();
      }

      @Override
      public void startedOver() {
        bus.publish(new Signal.NodeJoined());
        sweeping.role().sweepNow(); // Takes care of what the old incarnation has left.
        parts.forEach(Part::look);
      }
    };
  }

  /** The tenure is over: fences all nodes, whose own look may be a while away. */
  private void alarm() {
    beating.wake();
    parts.forEach(Part::look);
  }

  /** Returns whether code of a fenced node may still run. */
  private boolean isUnsettled() {
    if (!identity.tenure().hasEnded() || parts.stream().allMatch(Part::isSettled)) {
      return false;
    }
    parts.forEach(Part::look);
    return true;
  }

  private void hear(Signal signal, boolean own) {
    switch (signal) {
      case Signal.NodeJoined joined -> {
        if (!own) {
          sweeping.role().expectNode();
        }
      }
      case Signal.NodeDied died -> sweeping.role().sweepNow();
      case Signal.InTenant(int tenant, Signal.NewWork work) -> sweeping.role().expectWork();
      case Signal.HeartbeatRequested call -> {
        if (call.incarnation().equals(identity.incarnation())) {
          beating.wake();
        }
      }
      case Signal.SignalsMissed missed -> beating.wake();
      // The rest concerns the nodes in tenants.
      case Signal.InTenant other -> {}
      case Signal.NewWork work -> {}
      case Signal.Scheduled scheduled -> {}
      case Signal.QueueChanged changed -> {}
      case Signal.TaskChanged changed -> {}
      case Signal.RunsMarked marked -> {}
      case Signal.ResultAwaited awaited -> {}
      case Signal.JobEnded ended -> {}
      case Signal.Watched watched -> {}
      case Signal.Changed changed -> {}
      case Signal.SchedulesChanged changed -> {}
    }
  }

  private NodeRegistration registration(UUID incarnation) {
    return new NodeRegistration(
        incarnation,
        settings.id(),
        settings.name(),
        NodeIdentity.hostName(),
        ProcessHandle.current().pid(),
        Version.current(),
        settings.liveness().timeouts(),
        settings.queues(),
        settings.tasks(),
        settings.capacity(),
        null,
        Set.of(),
        settings.roles(),
        Advice.NONE);
  }

  Runnable add(Part part) {
    parts.add(part);
    return () -> parts.remove(part);
  }

  /** Returns the tenure of the process at present. */
  public Tenure tenure() {
    return identity.tenure();
  }

  /** Returns the incarnation of the process at present. */
  public UUID incarnation() {
    return identity.incarnation();
  }

  /** Returns whether the process must not act at present. */
  public boolean isOver() {
    return identity.tenure().isOver();
  }

  /** Returns the modes in which nodes of this process start, as set by an operator. */
  public Modes modes() {
    return modes;
  }

  /** Looks for dead processes now. */
  public void sweepNow() {
    sweeping.role().sweepNow();
  }

  /** Stops without deregistering: other processes wait for the timeout, as if this one had died. */
  public void abandon() {
    fence.shutForGood("it is stopping");
    release();
  }

  /** Stops the heartbeat and deregisters. All nodes must have been closed, and hold nothing. */
  @Override
  public void close() {
    release();
    try (var speaking = logs.borrow()) {
      processes.leave(identity.retire().incarnation());
      bus.publish(new Signal.NodeDied());
    } catch (StoreException away) {
      log.warn(
          "Node {} could not deregister; other nodes declare it dead after its timeout: {}",
          settings.id(),
          away.getMessage());
    }
  }

  private void release() {
    List<Driver.Driven<?>> roles = List.of(sweeping, beating, guarding);
    roles.forEach(Driver.Driven::stop);
    Deadline.in(TO_END).await(() -> roles.stream().allMatch(Driver.Driven::hasEnded));
    subscription.run();
  }
}
