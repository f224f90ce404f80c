package dev.holdfast.engine.node;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.engine.claim.ClaimParts;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.IdlePoll;
import dev.holdfast.engine.claim.Starter;
import dev.holdfast.engine.claim.WakeupSpread;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.finish.Receipts;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.BreakerReporter;
import dev.holdfast.engine.run.ContextServices;
import dev.holdfast.engine.run.JournalServices;
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
  private final NodeComponents components;
  private final WorkflowRoles workflows;
  final Claimers claimers;
  final WakeupSpread wakeups;
  final Completer completer;
  final List<TaskExecutor> executors;

  /** The threads that claim and start jobs. */
  final List<Driver.Driven<?>> claiming = new ArrayList<>();

  /** The threads that watch timeouts and breakers. */
  final List<Driver.Driven<?>> watching = new ArrayList<>();

  final Driver.Driven<Completer> completing;

  WorkingRoles(NodeBuilder from, NodeComponents components, WorkflowRoles workflows) {
    this.components = components;
    this.workflows = workflows;
    Optional<BreakerReporter> breakerReporter = breakerReporter(from);
    this.completing = components.drive(waker -> completer(breakerReporter, waker));
    this.completer = completing.role();
    TimeoutWatcher timeoutWatcher = timeoutWatcher();
    Lanes lanes = new Lanes(components.settings, from.ownExecutors);
    this.executors = lanes.executors();
    Unreadable unreadable =
        new Unreadable(
            components.settings.id(), components.store.queries(), components.store.nodes());
    ClaimParts parts = claimParts(runner(from, timeoutWatcher, unreadable), unreadable);
    Driver.Driven<IdlePoll> polling =
        components.drive(waker -> new IdlePoll(parts, components::pollPace, waker));
    IdlePoll idlePoll = polling.role();
    this.claimers = new Claimers(idlePoll);
    List<Lane> all = lanes.of(components.tasks.names(), from.limits.of(components.tasks.names()));
    components.lost.of(all);
    all.forEach(lane -> claimFor(lane, parts, idlePoll));
    claiming.add(polling);
    components.heldJobs.onSuspectGone(claimers::expectWork);
    Driver.Driven<WakeupSpread> spreading =
        components.drive(waker ->
            new WakeupSpread(
                components.crowd,
                claimers::expectWork,
                components.ticker,
                components.environment.random(),
                waker));
    this.wakeups = spreading.role();
    claiming.add(spreading);
  }

  /**
   * Returns the role that reports failures to breakers; empty if no task of this node has a
   * breaker.
   */
  private Optional<BreakerReporter> breakerReporter(NodeBuilder from) {
    Map<String, CircuitBreaker> breakers = from.breakers.of(components.tasks.names());
    if (breakers.isEmpty()) {
      return Optional.empty();
    }
    Driver.Driven<BreakerReporter> reporting =
        components.drive(waker ->
            new BreakerReporter(
                new BreakerReporter.Parts(
                    components.store.tasks(),
                    components.taskRules,
                    breakers,
                    components.bus,
                    components.meters,
                    components.events),
                waker));
    watching.add(reporting);
    return Optional.of(reporting.role());
  }

  private Completer completer(Optional<BreakerReporter> breakerReporter, Waker waker) {
    Receipts.Follower makeRoom = makeRoom();
    return new Completer(
        components.store.outcomes(),
        components.store.claims(),
        components.identity,
        new Receipts(
            components.heldJobs,
            components.meters,
            components.bus,
            components.events,
            components.endings,
            breakerReporter.map(trips -> makeRoom.andThen(trips::ended)).orElse(makeRoom)),
        components.meters,
        waker);
  }

  /**
   * Wakes the claimers when a job with a limit has ended. It makes room for another job, and no
   * released slot would show that.
   */
  private Receipts.Follower makeRoom() {
    return (job, finish) -> {
      workflows.ended(job);
      if (components.taskRules.isLimited(job.task())
          || components.rules.of(job.queue()).limit() != null) {
        claimers.expectWork(job.queue());
      }
    };
  }

  private TimeoutWatcher timeoutWatcher() {
    Driver.Driven<TimeoutWatcher> timing =
        components.drive(waker ->
            new TimeoutWatcher(
                new TimeoutWatcher.Parts(
                    components.settings.id(),
                    components.heldJobs,
                    completer,
                    components.lost,
                    components.settings.hung().patience(),
                    components.settings.hung().holdJobs(),
                    components.ticker,
                    components.environment.random()),
                waker));
    watching.add(timing);
    return timing.role();
  }

  private Runner runner(NodeBuilder from, TimeoutWatcher timeoutWatcher, Unreadable unreadable) {
    return new Runner(
        new Runner.Parts(
            components.logs,
            new Spans(components.logs, from.telemetry),
            components.tasks,
            from.codec,
            components.heldJobs,
            completer,
            timeoutWatcher,
            unreadable,
            components.meters,
            components.ticker,
            components.environment.random(),
            components.settings.resultLimit(),
            new ContextServices(
                components.settings.id(),
                components.ticker,
                components.client::childrenOf,
                components.drain,
                notesWriter(),
                new JournalServices(components.store.journals(), from.codec),
                from.jobLogLines),
            from.attemptInterceptors));
  }

  private NotesWriter notesWriter() {
    Driver.Driven<NotesWriter> writing =
        components.drive(waker ->
            new NotesWriter(
                components.store.outcomes(), components.identity, components.heldJobs, waker));
    watching.add(writing);
    return writing.role();
  }

  private ClaimParts claimParts(Runner runner, Unreadable unreadable) {
    return new ClaimParts(
        components.store.claims(),
        components.identity,
        components.calls,
        components.rules,
        components.taskRules,
        components.modes,
        components.settings.stacks().serves(),
        components.tasks,
        components.heldJobs,
        runner,
        unreadable,
        completer,
        components.meters,
        components.spans,
        components.events,
        components.ticker,
        components.environment.random());
  }

  private void claimFor(Lane lane, ClaimParts parts, IdlePoll idlePoll) {
    int prefetch = components.settings.of(lane.queue()).prefetch();
    Driver.Driven<Starter> starting =
        components.drive(waker -> new Starter(lane, prefetch, parts, waker));
    Driver.Driven<Claimer> claimer =
        components.drive(waker ->
            new Claimer(lane, parts, components::pollPace, idlePoll, starting.role(), waker));
    claiming.add(claimer);
    claimers.add(claimer.role());
    if (prefetch > 0) { // Otherwise every claimed job has started already.
      claiming.add(starting);
    }
  }
}
