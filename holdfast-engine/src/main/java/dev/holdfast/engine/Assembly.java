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
import dev.holdfast.engine.finish.Endings;
import dev.holdfast.engine.finish.Receipts;
import dev.holdfast.engine.live.BeatPace;
import dev.holdfast.engine.live.Fence;
import dev.holdfast.engine.live.Heart;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.live.Office;
import dev.holdfast.engine.live.Strays;
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
import dev.holdfast.engine.run.Spans;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.Timekeeper;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.Registrar;
import dev.holdfast.engine.schedule.Scheduler;
import dev.holdfast.engine.stage.Housekeeper;
import dev.holdfast.engine.stage.Sampler;
import dev.holdfast.engine.stage.Stager;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook.Advice;
import dev.holdfast.engine.store.NodeBook.BeatReply;
import dev.holdfast.engine.store.NodeBook.NodeCard;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.trigger.Declarer;
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
import java.util.stream.Collectors;

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
  private final Endings endings;
  private final Lanes lanes;
  private final Optional<Registrar> registrar;
  private final HoldfastLeases leases;
  private final Alone alone;

  Assembly(NodeBuilder from, NodeSettings settings) {
    this.from = from;
    this.settings = settings;
    this.ticker = from.surroundings.ticker();
    this.tasks = new TaskRegistry(from.tasks);
    this.logs = new LogContext(settings.id(), settings.name());
    this.modes = new ModeSwitch(new Modes(settings.fleet().mode(), Map.of()));
    this.leases = HoldfastLeases.ofNode(from.store, logs, from.meters);
    this.alone = new Alone(from.store.nodes(), leases, settings);
    this.identity =
        new Identity(
            settings.id(),
            new Tenure(
                from.surroundings.ids().get(),
                ticker,
                settings.liveness().allowed(),
                alone::isUnseated,
                ticker.now()));
    this.lanes = new Lanes(settings, from.ownExecutors);
    this.bus = new SignalBus(from.coordinator());
    this.meters = new Meters(from.meters, settings.name());
    this.events =
        new LifecycleEvents(logs, from.listeners, LifecycleEvents.CAPACITY, meters, ticker);
    this.endings = new Endings(meters, events, bus, awaited);
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
                events,
                endings,
                tripper.map(trips -> makeRoom.andThen(trips::ended)).orElse(makeRoom)));
    Timekeeper timekeeper =
        new Timekeeper(settings.id(), holdings, completer, ticker, from.surroundings.random());
    Stager stager = new Stager(from.store.staging(), bus, ticker);
    holdings.onSuspectGone(claimers::expectWork);
    Driver.Driven sweeperThread = drive(alone.checkedBy(new WhileEnabled(sweeper(), modes)));
    Optional<Driver.Driven> registrarThread =
        registrar.map(role -> drive(new WhileEnabled(role, modes)));
    registrar.ifPresent(declaring -> registrarThread.ifPresent(declaring::wokenBy));
    Strays strays = new Strays(from.store.claims());
    Driver.Driven straysThread = drive(strays);
    strays.wokenBy(straysThread);
    Fence fence =
        new Fence(identity, holdings, meters, events, ticker, settings.liveness().margin());
    Heart heart =
        heart(
            fence,
            strays,
            claimers::expectWork,
            () -> {
              alone.startedOver();
              events.nodeJoined(identity.incarnation());
              // What it held is to be taken back, and what it declares is the new one's to declare.
              sweeperThread.wake();
              registrar.ifPresent(Registrar::lookAgain);
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
            settings.id(),
            ticker,
            from.surroundings.ids(),
            from.surroundings.random());
    Driver.Driven schedulerThread = drive(new WhileEnabled(scheduler, modes));
    scheduler.wokenBy(schedulerThread);
    List<Driver.Driven> clocks =
        new ArrayList<>(
            List.of(
                timekeeperThread,
                straysThread,
                stagerThread,
                schedulerThread,
                drive(
                    new WhileEnabled(
                        new Housekeeper(
                            from.store.upkeep(), settings.retention(), from.surroundings.random()),
                        modes)),
                drive(new Sampler(from.store.queues(), from.store.lookup(), meters)),
                sweeperThread));
    registrarThread.ifPresent(clocks::add);
    if (!modes.isEnabled() && !from.triggers.isEmpty()) {
      clocks.add(
          drive(new WhileEnabled(new Declarer(from.store.triggers(), from.triggers), modes)));
    }
    tripper.ifPresent(trips -> {
      Driver.Driven thread = drive(trips);
      trips.wokenBy(thread);
      clocks.add(thread);
    });
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
                from.store, from.codec, bus, from.client, from.surroundings.ids(), stamper()),
            leases,
            alone,
            fence,
            logs));
  }

  /**
   * A node without a name of its own for its application that declares nothing says nothing about
   * schedules: it may be any program, and must not cancel what another one declares.
   */
  private Optional<Registrar> registrar() {
    if (from.declared.isEmpty() && !from.namedApplication) {
      return Optional.empty();
    }
    Planner planner =
        new Planner(
            from.codec, from.client.payloadLimit(), Stamper.declared(settings.fleet().stack()));
    return Optional.of(
        new Registrar(
            from.store.schedules(),
            bus,
            identity::incarnation,
            from.application,
            from.declared.stream()
                .map(schedule -> planner.plan(schedule.apply(from.codec)))
                .toList(),
            DeclaredQueues.lenient(from.store.queues())::check));
  }

  private Stamper stamper() {
    return Stamper.onNode(settings.id(), settings.fleet().stack(), modes);
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
                new Spans(logs, from.telemetry),
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

  private Heart heart(Fence fence, Strays strays, Waker claimers, Runnable onStartedOver) {
    LivenessSettings liveness = settings.liveness();
    return new Heart(
        new Heart.Parts(
            from.store.nodes(),
            strays,
            new Office(
                identity,
                from.surroundings.ids(),
                ticker,
                liveness.allowed(),
                alone::isUnseated,
                this::card,
                modes::modes),
            fence,
            calls,
            holdings,
            pace(),
            () -> hearing(claimers),
            onStartedOver));
  }

  /** Whoever hears the answer to a beat that is sent now. */
  private Consumer<BeatReply> hearing(Waker claimers) {
    int ownChanges = modes.ownChanges();
    return reply -> {
      boolean queuesChanged = rules.update(reply.rules());
      boolean tasksChanged = taskRules.update(reply.tasks(), ticker.now());
      if (modes.hear(reply.modes(), ownChanges) || queuesChanged || tasksChanged) {
        claimers.wake();
      }
    };
  }

  private BeatPace pace() {
    LivenessSettings liveness = settings.liveness();
    return liveness.singleNode()
        ? BeatPace.ALONE
        : BeatPace.of(
            liveness.heartbeat(),
            liveness.terms().shorter(),
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
            bus,
            meters,
            events,
            endings,
            ticker,
            from.surroundings.random(),
            liveness.sweep(),
            // The only node beats too seldom for its terms, and nobody else could have it.
            incarnation -> liveness.singleNode() && incarnation.equals(identity.incarnation()),
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
        settings.fleet().serves(),
        settings.liveness().singleNode() ? Set.of("worker", "scheduler", "sweeper", ALONE) : ROLES,
        advice());
  }

  /** Who does not take running jobs back is never asked about one. */
  private Advice advice() {
    return settings.liveness().recoverRunning()
        ? new Advice(
            from.tasks.stream()
                .filter(task -> task.recovery().isPresent())
                .map(task -> task.type().name())
                .collect(Collectors.toSet()),
            settings.fleet().sweeps())
        : Advice.NONE;
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
        case Signal.Called call -> {
          if (call.incarnation().equals(identity.incarnation())) {
            heart.wake();
          }
        }
        case Signal.Awaited wish -> awaited.add(wish.job());
        case Signal.Ended ended -> {}
        case Signal.SchedulesChanged changed -> {
          scheduler.lookAgain();
          registrar.ifPresent(Registrar::lookAgain);
        }
        case Signal.Missed missed -> {
          claimers.expectWork();
          stager.expect(Duration.ZERO);
          scheduler.lookAgain();
          registrar.ifPresent(Registrar::lookAgain);
          heart.wake();
        }
      }
    };
  }

  private Driver.Driven drive(Role role) {
    return from.surroundings.driver().drive(role, logs::enter);
  }
}
