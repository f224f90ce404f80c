package dev.holdfast.engine;

import dev.holdfast.api.task.Breaker;
import dev.holdfast.engine.breaker.Tripper;
import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.claim.ClaimParts;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.QueueRules;
import dev.holdfast.engine.claim.TaskRules;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.finish.Receipts;
import dev.holdfast.engine.live.Fence;
import dev.holdfast.engine.live.Heart;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.live.Office;
import dev.holdfast.engine.live.Pulse;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.live.Watchdog;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.mode.ModeSwitch;
import dev.holdfast.engine.mode.Stamper;
import dev.holdfast.engine.mode.WhileEnabled;
import dev.holdfast.engine.recover.Sweeper;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.Lane;
import dev.holdfast.engine.run.LogContext;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.Timekeeper;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.Registrar;
import dev.holdfast.engine.schedule.Scheduler;
import dev.holdfast.engine.stage.Housekeeper;
import dev.holdfast.engine.stage.Sampler;
import dev.holdfast.engine.stage.Stager;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook.NodeCard;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.wake.AwaitedJobs;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.engine.wake.SignalBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Puts the roles of a node together. */
final class Assembly {
  /** What every node does; its mode says which of it at present. */
  private static final Set<String> ROLES = Set.of("worker", "scheduler", "sweeper");

  /** The role of a node that is the only one. */
  static final String ALONE = "alone";

  private final NodeBuilder from;
  private final NodeSettings settings;
  private final Ticker ticker;
  private final TaskRegistry tasks;
  private final Identity identity;
  private final Holdings holdings = new Holdings();
  private final ClaimCalls calls = new ClaimCalls();
  private final QueueRules rules = new QueueRules();
  private final TaskRules taskRules = new TaskRules();
  private final AwaitedJobs awaited = new AwaitedJobs();
  private final SignalBus bus;
  private final Meters meters;
  private final ModeSwitch modes;
  private final LogContext logs;
  private final LifecycleEvents events;
  private final Lanes lanes;
  private final Optional<Registrar> registrar;

  Assembly(NodeBuilder from, NodeSettings settings) {
    this.from = from;
    this.settings = settings;
    this.ticker = from.surroundings.ticker();
    this.tasks = new TaskRegistry(from.tasks);
    this.logs = new LogContext(settings.id(), settings.name());
    this.modes = new ModeSwitch(new Modes(settings.fleet().mode(), Map.of()));
    this.identity =
        new Identity(
            settings.id(),
            new Tenure(
                from.surroundings.ids().get(),
                ticker,
                settings.liveness().allowed(),
                ticker.now()));
    this.lanes = new Lanes(settings, from.ownExecutors);
    this.bus = new SignalBus(from.coordinator);
    this.meters = new Meters(from.meters);
    this.events =
        new LifecycleEvents(
            settings.id(), from.listeners, LifecycleEvents.CAPACITY, meters, ticker);
    this.registrar = registrar();
  }

  HoldfastNode assemble() {
    Claimers claimers = new Claimers();
    Optional<Tripper> tripper = tripper();
    Receipts.Follower makeRoom = makeRoom(claimers);
    Completer completer =
        new Completer(
            from.store.outcomes(),
            from.store.claims(),
            identity,
            new Receipts(
                holdings,
                meters,
                bus,
                awaited,
                events,
                tripper.map(trips -> makeRoom.andThen(trips::ended)).orElse(makeRoom)));
    Timekeeper timekeeper =
        new Timekeeper(settings.id(), holdings, completer, ticker, from.surroundings.random());
    Stager stager = new Stager(from.store.staging(), bus, ticker);
    holdings.onSuspectGone(claimers::expectWork);
    Sweeper sweeper = sweeper();
    Driver.Driven sweeperThread = drive(sweeper);
    Optional<Driver.Driven> registrarThread = registrar.map(this::drive);
    Fence fence = new Fence(identity, holdings, meters, events);
    Heart heart =
        heart(
            fence,
            claimers::expectWork,
            () -> {
              // What it held is to be taken back, and what it declares is the new one's to declare.
              sweeperThread.wake();
              registrarThread.ifPresent(Driver.Driven::wake);
              claimers.expectWork();
            });
    Watchdog watchdog =
        new Watchdog(identity, fence, settings.liveness().terms().running().dividedBy(10));
    List<Driver.Driven> claiming = new ArrayList<>();
    ClaimParts claimParts = claimParts(completer, timekeeper);
    for (Lane lane : lanes.of(tasks.names(), from.limits.of(tasks.names()))) {
      int prefetch = settings.of(lane.queue()).prefetch();
      Claimer claimer = new Claimer(lane, claimParts, settings.poll(), prefetch);
      Driver.Driven driver = drive(claimer);
      lane.claimedBy(driver);
      claimers.add(claimer, driver);
      claiming.add(driver);
      if (prefetch > 0) {
        Driver.Driven starter = drive(claimer.starter());
        claimer.startsBy(starter);
        claiming.add(starter);
      }
    }
    Driver.Driven heartThread = drive(heart);
    watchdog.wakes(heartThread);
    Driver.Driven completerThread = drive(completer);
    Driver.Driven timekeeperThread = drive(timekeeper);
    Driver.Driven stagerThread = drive(new WhileEnabled(stager, modes));
    completer.wokenBy(completerThread);
    timekeeper.wokenBy(timekeeperThread);
    stager.wokenBy(stagerThread);
    Scheduler scheduler =
        new Scheduler(
            from.store.schedules(),
            bus,
            ticker,
            from.surroundings.ids(),
            from.surroundings.random());
    Driver.Driven schedulerThread = drive(new WhileEnabled(scheduler, modes));
    scheduler.wokenBy(schedulerThread);
    List<Driver.Driven> clocks =
        new ArrayList<>(
            List.of(
                timekeeperThread,
                stagerThread,
                schedulerThread,
                drive(
                    new WhileEnabled(
                        new Housekeeper(
                            from.store.upkeep(), settings.retention(), from.surroundings.random()),
                        modes)),
                drive(new Sampler(from.store.queues(), from.store.lookup(), meters))));
    registrarThread.ifPresent(clocks::add);
    if (!settings.liveness().singleNode()) {
      clocks.add(sweeperThread);
    }
    tripper.ifPresent(trips -> {
      Driver.Driven thread = drive(trips);
      trips.wokenBy(thread);
      clocks.add(thread);
    });
    HoldfastLeases leases = HoldfastLeases.on(from.store, settings.id(), from.meters);
    Runnable subscription = bus.subscribe(listener(claimers, stager, scheduler, heartThread));
    return new HoldfastNode(
        new HoldfastNode.Parts(
            settings,
            from.store,
            identity,
            modes,
            claimers::expectWork,
            bus,
            holdings,
            heart,
            completer,
            claimers.all(),
            new HoldfastNode.Threads(
                claiming, clocks, completerThread, List.of(heartThread, drive(watchdog))),
            lanes.executors(),
            subscription,
            events,
            new HoldfastClient(
                from.store,
                from.codec,
                bus,
                from.client,
                from.surroundings.ids(),
                Stamper.onNode(settings.id(), settings.fleet().stack(), modes)),
            leases,
            new Alone(from.store.nodes(), leases, settings),
            () -> sweeper.tick(ticker.now())));
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

  /** Nobody waits for the failures of tasks that have no breaker here. */
  private Optional<Tripper> tripper() {
    Map<String, Breaker> breakers = from.breakers.of(tasks.names());
    return breakers.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Tripper(
                new Tripper.Parts(from.store.tasks(), taskRules, breakers, bus, meters, events)));
  }

  /**
   * A job that ended under a limit makes room for another, which no slot that is free would tell.
   */
  private Receipts.Follower makeRoom(Claimers claimers) {
    return (job, finish) -> {
      if (taskRules.isLimited(job.task()) || rules.of(job.queue()).limit() != null) {
        claimers.expectWork(job.queue());
      }
    };
  }

  private ClaimParts claimParts(Completer completer, Timekeeper timekeeper) {
    Runner runner =
        new Runner(
            new Runner.Parts(
                logs,
                tasks,
                from.codec,
                holdings,
                completer,
                timekeeper,
                meters,
                ticker,
                from.surroundings.random(),
                settings.resultLimit()));
    return new ClaimParts(
        from.store.claims(),
        identity,
        calls,
        rules,
        taskRules,
        modes,
        settings.fleet().serves(),
        tasks,
        holdings,
        runner,
        completer,
        meters,
        events,
        ticker,
        from.surroundings.random());
  }

  private Heart heart(Fence fence, Waker claimers, Runnable onStartedOver) {
    LivenessSettings liveness = settings.liveness();
    return new Heart(
        new Heart.Parts(
            from.store.nodes(),
            from.store.claims(),
            new Office(
                identity,
                from.surroundings.ids(),
                ticker,
                liveness.allowed(),
                this::card,
                modes::modes),
            fence,
            calls,
            holdings,
            pulse(),
            reply -> {
              boolean changed = rules.update(reply.rules());
              boolean tasksChanged = taskRules.update(reply.tasks(), ticker.now());
              if (modes.set(reply.modes()) || changed || tasksChanged) {
                claimers.wake();
              }
            },
            onStartedOver));
  }

  private Pulse pulse() {
    LivenessSettings liveness = settings.liveness();
    return liveness.singleNode()
        ? Pulse.ALONE
        : Pulse.of(
            liveness.heartbeat(),
            liveness.terms().running(),
            settings.maxConcurrent(),
            liveness.keepHeartbeats());
  }

  private Sweeper sweeper() {
    LivenessSettings liveness = settings.liveness();
    return new Sweeper(
        new Sweeper.Parts(
            from.store.nodes(),
            from.store.recovery(),
            tasks,
            modes,
            bus,
            meters,
            events,
            ticker,
            from.surroundings.random(),
            liveness.sweep(),
            new Recovery.Scope(
                liveness.recoverClaimed(), liveness.recoverRunning(), settings.fleet().sweeps())));
  }

  private NodeCard card(UUID incarnation) {
    return new NodeCard(
        incarnation,
        settings.id(),
        settings.name(),
        NodeIdentity.hostName(),
        ProcessHandle.current().pid(),
        Version.current(),
        settings.liveness().terms(),
        settings.queues().keySet(),
        tasks.names(),
        settings.maxConcurrent(),
        settings.fleet().stack(),
        settings.liveness().singleNode() ? Set.of("worker", "scheduler", ALONE) : ROLES);
  }

  private Consumer<Signal> listener(
      Claimers claimers, Stager stager, Scheduler scheduler, Driver.Driven heart) {
    return signal -> {
      switch (signal) {
        case Signal.NewWork work -> claimers.expectWork(work.queue());
        case Signal.Scheduled scheduled -> stager.expect(scheduled.in());
        case Signal.QueueChanged changed -> heart.wake();
        case Signal.TaskChanged changed -> {
          // Where the change was made it is known already; elsewhere the beat brings it.
          claimers.expectWork();
          heart.wake();
        }
        case Signal.CancelRequested request -> {
          if (request.incarnation().equals(identity.incarnation())) {
            heart.wake();
          }
        }
        case Signal.Awaited wish -> awaited.add(wish.job());
        case Signal.Ended ended -> {}
        case Signal.SchedulesChanged changed -> scheduler.lookAgain();
        case Signal.Missed missed -> {
          claimers.expectWork();
          stager.expect(Duration.ZERO);
          scheduler.lookAgain();
          heart.wake();
        }
      }
    };
  }

  private Driver.Driven drive(Role role) {
    return from.surroundings.driver().drive(role, logs::enter);
  }
}
