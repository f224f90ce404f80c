package dev.holdfast.engine.node;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.engine.claim.ClaimParts;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.IdlePoll;
import dev.holdfast.engine.claim.WakeupSpread;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.finish.Receipts;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.rule.BreakerReporter;
import dev.holdfast.engine.run.ContextServices;
import dev.holdfast.engine.run.NotesWriter;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.Spans;
import dev.holdfast.engine.run.TimeoutWatcher;
import dev.holdfast.engine.run.Unreadable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The roles that claim jobs, run them and record how they ended. */
final class WorkingRoles {
  private final NodeComponents ground;
  final Claimers claimers;
  final WakeupSpread wakeups;
  final Completer completer;
  final List<TaskExecutor> executors;

  /** The threads that claim and start jobs. */
  final List<Driver.Driven> claiming = new ArrayList<>();

  /** The threads that watch timeouts and breakers. */
  final List<Driver.Driven> watching = new ArrayList<>();

  final Driver.Driven completing;

  WorkingRoles(NodeBuilder from, NodeComponents ground) {
    this.ground = ground;
    Optional<BreakerReporter> breakerReporter = breakerReporter(from);
    this.completer = completer(breakerReporter);
    this.completing = ground.drive(completer);
    breakerReporter.ifPresent(trips -> watching.add(ground.drive(trips)));
    TimeoutWatcher timeoutWatcher = timeoutWatcher();
    Lanes lanes = new Lanes(ground.settings, from.ownExecutors);
    this.executors = lanes.executors();
    Unreadable unreadable =
        new Unreadable(ground.settings.id(), ground.store.queries(), ground.store.nodes());
    ClaimParts parts = claimParts(runner(from, timeoutWatcher, unreadable), unreadable);
    IdlePoll idlePoll = new IdlePoll(parts, ground::pollPace);
    this.claimers = new Claimers(idlePoll);
    List<Lane> all = lanes.of(ground.tasks.names(), from.limits.of(ground.tasks.names()));
    ground.lost.of(all);
    all.forEach(lane -> claimFor(lane, parts, idlePoll));
    claiming.add(ground.drive(idlePoll));
    ground.heldJobs.onSuspectGone(claimers::expectWork);
    this.wakeups =
        new WakeupSpread(
            ground.crowd, claimers::expectWork, ground.ticker, ground.environment.random());
    claiming.add(ground.drive(wakeups));
  }

  /**
   * Returns the role that reports failures to breakers; empty if no task of this node has a
   * breaker.
   */
  private Optional<BreakerReporter> breakerReporter(NodeBuilder from) {
    Map<String, CircuitBreaker> breakers = from.breakers.of(ground.tasks.names());
    return breakers.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new BreakerReporter(
                new BreakerReporter.Parts(
                    ground.store.tasks(),
                    ground.taskRules,
                    breakers,
                    ground.bus,
                    ground.meters,
                    ground.events)));
  }

  private Completer completer(Optional<BreakerReporter> breakerReporter) {
    Receipts.Follower makeRoom = makeRoom();
    return new Completer(
        ground.store.outcomes(),
        ground.store.claims(),
        ground.identity,
        new Receipts(
            ground.heldJobs,
            ground.meters,
            ground.bus,
            ground.events,
            ground.endings,
            breakerReporter.map(trips -> makeRoom.andThen(trips::ended)).orElse(makeRoom)),
        ground.meters);
  }

  /**
   * Wakes the claimers when a job with a limit has ended. It makes room for another job, and no
   * released slot would show that.
   */
  private Receipts.Follower makeRoom() {
    return (job, finish) -> {
      if (ground.taskRules.isLimited(job.task()) || ground.rules.of(job.queue()).limit() != null) {
        claimers.expectWork(job.queue());
      }
    };
  }

  private TimeoutWatcher timeoutWatcher() {
    TimeoutWatcher timeoutWatcher =
        new TimeoutWatcher(
            new TimeoutWatcher.Parts(
                ground.settings.id(),
                ground.heldJobs,
                completer,
                ground.lost,
                ground.settings.hung().patience(),
                ground.settings.hung().holdJobs(),
                ground.ticker,
                ground.environment.random()));
    watching.add(ground.drive(timeoutWatcher));
    return timeoutWatcher;
  }

  private Runner runner(NodeBuilder from, TimeoutWatcher timeoutWatcher, Unreadable unreadable) {
    return new Runner(
        new Runner.Parts(
            ground.logs,
            new Spans(ground.logs, from.telemetry),
            ground.tasks,
            from.codec,
            ground.heldJobs,
            completer,
            timeoutWatcher,
            unreadable,
            ground.meters,
            ground.ticker,
            ground.environment.random(),
            ground.settings.resultLimit(),
            new ContextServices(
                ground.settings.id(),
                ground.ticker,
                ground.client::childrenOf,
                ground.drain,
                notesWriter(),
                from.jobLogLines),
            from.attemptInterceptors));
  }

  private NotesWriter notesWriter() {
    NotesWriter writer = new NotesWriter(ground.store.outcomes(), ground.identity, ground.heldJobs);
    watching.add(ground.driveShared(writer));
    return writer;
  }

  private ClaimParts claimParts(Runner runner, Unreadable unreadable) {
    return new ClaimParts(
        ground.store.claims(),
        ground.identity,
        ground.calls,
        ground.rules,
        ground.taskRules,
        ground.modes,
        ground.settings.stacks().serves(),
        ground.tasks,
        ground.heldJobs,
        runner,
        unreadable,
        completer,
        ground.meters,
        ground.spans,
        ground.events,
        ground.ticker,
        ground.environment.random());
  }

  private void claimFor(Lane lane, ClaimParts parts, IdlePoll idlePoll) {
    int prefetch = ground.settings.of(lane.queue()).prefetch();
    Claimer claimer = new Claimer(lane, parts, ground::pollPace, idlePoll, prefetch);
    claiming.add(ground.driveShared(claimer));
    claimers.add(claimer);
    if (prefetch > 0) {
      Driver.Driven starter = ground.driveShared(claimer.starter());
      claimer.startsBy(starter);
      claiming.add(starter);
    }
  }
}
