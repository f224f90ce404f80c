package dev.holdfast.engine;

import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.claim.PollPace;
import dev.holdfast.engine.claim.QueueRules;
import dev.holdfast.engine.claim.TaskRules;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.finish.Endings;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.mode.ModeSwitch;
import dev.holdfast.engine.mode.WhileEnabled;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Surroundings;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.LogContext;
import dev.holdfast.engine.run.LostSlots;
import dev.holdfast.engine.run.SlowStart;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.wake.AwaitedJobs;
import dev.holdfast.engine.wake.Crowd;
import dev.holdfast.engine.wake.SignalBus;
import java.util.Map;

/** What the roles of a node share. */
final class Groundwork {
  final NodeSettings settings;
  final Store store;
  final Surroundings surroundings;
  final Ticker ticker;
  final TaskRegistry tasks;
  final LogContext logs;
  final ModeSwitch modes;
  final HoldfastLeases leases;
  final Alone alone;
  final Identity identity;
  final Holdings holdings;
  final ClaimCalls calls = new ClaimCalls();
  final QueueRules rules = new QueueRules();
  final TaskRules taskRules = new TaskRules();
  final AwaitedJobs awaited = new AwaitedJobs();
  final Crowd crowd = new Crowd();
  final SignalBus bus;
  final Meters meters;
  final LifecycleEvents events;
  final Endings endings;
  final LostSlots lost;

  Groundwork(NodeBuilder from, NodeSettings settings) {
    this.settings = settings;
    this.store = from.store;
    this.surroundings = from.surroundings;
    this.ticker = surroundings.ticker();
    this.tasks = new TaskRegistry(from.tasks);
    this.holdings = new Holdings(new SlowStart(settings.liveness().terms().running()), ticker);
    this.logs = new LogContext(settings.id(), settings.name());
    this.modes = new ModeSwitch(new Modes(settings.fleet().mode(), Map.of()));
    this.leases = HoldfastLeases.ofNode(store, logs, from.meters, surroundings);
    this.alone = new Alone(store.nodes(), leases, settings);
    this.identity =
        new Identity(
            settings.id(),
            new Tenure(
                surroundings.ids().get(),
                ticker,
                settings.liveness().allowed(),
                alone::isUnseated,
                ticker.now()));
    // A coordinator names those who listen to it in its log lines.
    try (var speaking = logs.borrow()) {
      this.bus = new SignalBus(from.coordinator(), settings.poll().unheard());
    }
    this.meters = new Meters(from.meters, settings.name(), tasks.names());
    this.events =
        new LifecycleEvents(logs, from.listeners, LifecycleEvents.CAPACITY, meters, ticker);
    this.endings = new Endings(meters, events, bus, awaited);
    this.lost = new LostSlots(settings.hung().replacedSlots(), meters, events);
  }

  /** How often to poll at present. */
  PollPace pollPace() {
    return bus.hearsOthers() ? settings.poll() : settings.poll().whileUnheard();
  }

  Driver.Driven drive(Role role) {
    return surroundings.driver().drive(role, logs::enter);
  }

  Driver.Driven driveShared(Role role) {
    return surroundings.driver().driveShared(role, logs::enter);
  }

  Driver.Driven driveWhileEnabled(Role role) {
    return drive(new WhileEnabled(role, modes));
  }
}
