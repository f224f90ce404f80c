package dev.holdfast.engine;

import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.claim.ClaimParts;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.QueueRules;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.finish.Receipts;
import dev.holdfast.engine.live.Heart;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.RoleThread;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.Lane;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.Slots;
import dev.holdfast.engine.run.TaskExecutor;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.Timekeeper;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.Registrar;
import dev.holdfast.engine.schedule.Scheduler;
import dev.holdfast.engine.stage.Housekeeper;
import dev.holdfast.engine.stage.Sampler;
import dev.holdfast.engine.stage.Stager;
import dev.holdfast.engine.store.NodeBook.NodeCard;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.wake.AwaitedJobs;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.engine.wake.SignalBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Puts the roles of a node together. */
final class Assembly {
  private final NodeBuilder from;
  private final NodeSettings settings;
  private final Ticker ticker = Ticker.system();
  private final TaskRegistry tasks;
  private final Identity identity;
  private final Holdings holdings = new Holdings();
  private final ClaimCalls calls = new ClaimCalls();
  private final QueueRules rules = new QueueRules();
  private final AwaitedJobs awaited = new AwaitedJobs();
  private final SignalBus bus;
  private final Meters meters;
  private final Map<String, TaskExecutor> executors;
  private final Optional<Registrar> registrar;

  /** A claimer and the thread that drives it. */
  private record Driven(Claimer claimer, RoleThread thread) {
    void expectWork() {
      claimer.expectWork();
      thread.wake();
    }
  }

  Assembly(NodeBuilder from, NodeSettings settings) {
    this.from = from;
    this.settings = settings;
    this.tasks = new TaskRegistry(from.tasks);
    this.identity = new Identity(settings.id(), from.ids);
    this.executors = executors();
    this.bus = new SignalBus(from.coordinator);
    this.meters = new Meters(from.meters);
    this.registrar = registrar();
  }

  HoldfastNode assemble() {
    Completer completer =
        new Completer(
            from.store.outcomes(),
            from.store.claims(),
            identity,
            new Receipts(holdings, meters, bus, awaited));
    Timekeeper timekeeper = new Timekeeper(settings.id(), holdings, completer, ticker, from.random);
    Stager stager = new Stager(from.store.staging(), bus, ticker);
    List<Driven> claimers = new ArrayList<>();
    Heart heart = heart(() -> claimers.forEach(Driven::expectWork));
    List<RoleThread> claiming = new ArrayList<>();
    ClaimParts claimParts = claimParts(completer, timekeeper);
    for (Lane lane : lanes()) {
      int prefetch = settings.of(lane.queue()).prefetch();
      Claimer claimer = new Claimer(lane, claimParts, settings.poll(), prefetch);
      RoleThread driver = drive(claimer);
      lane.claimedBy(driver);
      claimers.add(new Driven(claimer, driver));
      claiming.add(driver);
      if (prefetch > 0) {
        RoleThread starter = drive(claimer.starter());
        claimer.startsBy(starter);
        claiming.add(starter);
      }
    }
    RoleThread heartThread = drive(heart);
    RoleThread completerThread = drive(completer);
    RoleThread timekeeperThread = drive(timekeeper);
    RoleThread stagerThread = drive(stager);
    completer.wokenBy(completerThread);
    timekeeper.wokenBy(timekeeperThread);
    stager.wokenBy(stagerThread);
    Scheduler scheduler = new Scheduler(from.store.schedules(), bus, ticker, from.ids, from.random);
    RoleThread schedulerThread = drive(scheduler);
    scheduler.wokenBy(schedulerThread);
    List<RoleThread> clocks =
        new ArrayList<>(
            List.of(
                timekeeperThread,
                stagerThread,
                schedulerThread,
                drive(new Housekeeper(from.store.upkeep(), settings.retention(), from.random)),
                drive(new Sampler(from.store.queues(), from.store.lookup(), meters))));
    registrar.map(this::drive).ifPresent(clocks::add);
    Runnable subscription = bus.subscribe(listener(claimers, stager, scheduler, heartThread));
    return new HoldfastNode(
        new HoldfastNode.Parts(
            settings,
            from.store,
            identity::incarnation,
            bus,
            holdings,
            heart,
            completer,
            claimers.stream().map(Driven::claimer).toList(),
            new HoldfastNode.Threads(claiming, clocks, completerThread, heartThread),
            List.copyOf(executors.values()),
            subscription,
            new HoldfastClient(from.store, from.codec, bus, from.client, from.ids)));
  }

  /**
   * A node without a name of its own for its application that declares nothing says nothing about
   * schedules: it may be any program, and must not cancel what another one declares.
   */
  private Optional<Registrar> registrar() {
    if (from.declared.isEmpty() && !from.namedApplication) {
      return Optional.empty();
    }
    Planner planner = new Planner(from.codec, from.client.payloadLimit());
    return Optional.of(
        new Registrar(
            from.store.schedules(),
            bus,
            identity::incarnation,
            from.application,
            from.declared.stream()
                .map(schedule -> planner.plan(schedule.apply(from.codec)))
                .toList()));
  }

  private ClaimParts claimParts(Completer completer, Timekeeper timekeeper) {
    Runner runner =
        new Runner(
            new Runner.Parts(
                settings.id(),
                tasks,
                from.codec,
                holdings,
                completer,
                timekeeper,
                meters,
                ticker,
                from.random,
                settings.resultLimit()));
    return new ClaimParts(
        from.store.claims(),
        identity,
        calls,
        rules,
        tasks,
        holdings,
        runner,
        completer,
        meters,
        ticker,
        from.random);
  }

  private Heart heart(Runnable onNewRules) {
    return new Heart(
        new Heart.Parts(
            from.store.nodes(),
            from.store.claims(),
            identity,
            this::card,
            calls,
            holdings,
            rules,
            onNewRules,
            settings.heartbeat()));
  }

  private NodeCard card(Identity who) {
    return new NodeCard(
        who.incarnation(),
        settings.id(),
        NodeBuilder.hostName(),
        ProcessHandle.current().pid(),
        Version.current(),
        settings.terms(),
        settings.queues().keySet(),
        tasks.names(),
        settings.maxConcurrent());
  }

  private Consumer<Signal> listener(
      List<Driven> claimers, Stager stager, Scheduler scheduler, RoleThread heart) {
    return signal -> {
      switch (signal) {
        case Signal.NewWork work ->
            claimers.stream()
                .filter(driven -> driven.claimer().lane().queue().equals(work.queue()))
                .forEach(Driven::expectWork);
        case Signal.Scheduled scheduled -> stager.expect(scheduled.in());
        case Signal.QueueChanged changed -> heart.wake();
        case Signal.CancelRequested request -> {
          if (request.incarnation().equals(identity.incarnation())) {
            heart.wake();
          }
        }
        case Signal.Awaited wish -> awaited.add(wish.job());
        case Signal.Ended ended -> {}
        case Signal.SchedulesChanged changed -> scheduler.lookAgain();
        case Signal.Missed missed -> {
          claimers.forEach(Driven::expectWork);
          stager.expect(Duration.ZERO);
          scheduler.lookAgain();
          heart.wake();
        }
      }
    };
  }

  private Map<String, TaskExecutor> executors() {
    Map<String, TaskExecutor> byName = new LinkedHashMap<>();
    for (TaskExecutor own : from.ownExecutors) {
      byName.put(own.name(), own);
    }
    for (String name : settings.router().executors()) {
      byName.computeIfAbsent(name, this::builtIn);
    }
    return byName;
  }

  private TaskExecutor builtIn(String name) {
    return switch (name) {
      case TaskExecutor.VIRTUAL -> TaskExecutor.virtual();
      case TaskExecutor.PLATFORM -> TaskExecutor.platform(settings.platformThreads());
      default ->
          throw new IllegalArgumentException(
              "A route names executor '%s', which does not exist: use %s or %s, or add it with executor(...)."
                  .formatted(name, TaskExecutor.VIRTUAL, TaskExecutor.PLATFORM));
    };
  }

  /** One lane per queue and executor that has tasks. */
  private List<Lane> lanes() {
    Map<String, List<String>> byExecutor = new LinkedHashMap<>();
    for (String task : tasks.names()) {
      byExecutor
          .computeIfAbsent(settings.router().executorFor(task), name -> new ArrayList<>())
          .add(task);
    }
    Slots.Pool nodePool = new Slots.Pool(settings.maxConcurrent());
    Map<String, Slots.Pool> executorPools = new LinkedHashMap<>();
    byExecutor
        .keySet()
        .forEach(name -> executorPools.put(name, new Slots.Pool(executor(name).capacity())));
    Object reserving = new Object();
    List<Lane> lanes = new ArrayList<>();
    settings
        .queues()
        .forEach((queue, own) -> {
          Slots.Pool queuePool = new Slots.Pool(own.concurrency());
          byExecutor.forEach((name, names) ->
              lanes.add(
                  new Lane(
                      queue,
                      executor(name),
                      names,
                      new Slots(
                          reserving, List.of(nodePool, queuePool, pool(executorPools, name))))));
        });
    return lanes;
  }

  private static Slots.Pool pool(Map<String, Slots.Pool> pools, String name) {
    Slots.Pool pool = pools.get(name);
    if (pool == null) {
      throw new IllegalStateException("No slots for executor " + name);
    }
    return pool;
  }

  private TaskExecutor executor(String name) {
    TaskExecutor executor = executors.get(name);
    if (executor == null) {
      throw new IllegalStateException("No executor " + name);
    }
    return executor;
  }

  /**
   * Roles have platform threads of their own: handlers that hog the virtual ones must not starve
   * them.
   */
  private RoleThread drive(Role role) {
    return new RoleThread(
        role, ticker, Thread.ofPlatform().daemon().name("holdfast-" + role.name()).factory());
  }
}
