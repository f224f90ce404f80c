package dev.holdfast.engine.node;

import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.engine.claim.ClaimRules;
import dev.holdfast.engine.claim.ClaimSender;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.IdlePoll;
import dev.holdfast.engine.claim.Starter;
import dev.holdfast.engine.claim.StepHandOver;
import dev.holdfast.engine.claim.WakeupSpread;
import dev.holdfast.engine.finish.Completer;
import dev.holdfast.engine.finish.Completers;
import dev.holdfast.engine.finish.ConfirmedOutcomes;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.rule.BreakerReporter;
import dev.holdfast.engine.run.AttemptReporter;
import dev.holdfast.engine.run.ContextServices;
import dev.holdfast.engine.run.FinishDecision;
import dev.holdfast.engine.run.HandlerCaller;
import dev.holdfast.engine.run.JournalServices;
import dev.holdfast.engine.run.NodeSecrets;
import dev.holdfast.engine.run.NotesWriter;
import dev.holdfast.engine.run.OutputEncoder;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.Spans;
import dev.holdfast.engine.run.TimeoutWatcher;
import dev.holdfast.engine.run.Unreadable;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.workflow.StepClaims;
import dev.holdfast.engine.workflow.StepNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The roles that claim jobs, run them and record how they ended. */
final class WorkingRoles {
  private final NodeComponents components;
  private final WorkflowRoles workflows;
  private final FairSlots.@Nullable Share share;
  final Claimers claimers;
  final WakeupSpread wakeups;
  final ConfirmedOutcomes confirmed;
  final Completers completers;
  final List<TaskExecutor> executors;

  /** The threads that claim and start jobs. */
  final List<Driver.Driven<?>> claiming = new ArrayList<>();

  /** The threads that watch timeouts and breakers. */
  final List<Driver.Driven<?>> watching = new ArrayList<>();

  /** The threads that write how attempts ended. */
  final List<Driver.Driven<?>> completing = new ArrayList<>();

  WorkingRoles(NodeDraft from, NodeComponents components, WorkflowRoles workflows) {
    this.components = components;
    this.workflows = workflows;
    this.share = from.share;
    this.confirmed =
        new ConfirmedOutcomes(
            components.heldJobs,
            components.telemetry,
            components.bus,
            components.awaited,
            onEnded(breakerReporter(from)));
    this.completers = completers();
    Unreadable unreadable =
        new Unreadable(
            components.settings.id(), components.store.queries(), components.store.nodes());
    Runner runner = runner(from, unreadable);
    ClaimRules rules =
        new ClaimRules(components.rules, components.taskRules, components.modes, unreadable);
    ClaimSender sender =
        new ClaimSender(
            new StepClaims(
                components.store.claims(),
                components.store.runs().advance(),
                components.client.workflows()),
            components.settings.stacks().serves(),
            components.claims,
            rules,
            components.tasks,
            components.telemetry,
            components.ticker);
    Driver.Driven<IdlePoll> polling =
        components.drive(waker ->
            new IdlePoll(
                components.store.claims(),
                components.settings.stacks().serves(),
                components::pollBackoff,
                components.environment.random(),
                waker));
    this.claimers = new Claimers(polling.role());
    Lanes lanes = new Lanes(components.settings, from.ownExecutors, from.share);
    this.executors = lanes.executors();
    List<Lane> all = lanes.of(components.tasks.names(), from.limits.of(components.tasks.names()));
    components.lost.of(all);
    StepHandOver handOver =
        new StepHandOver(
            sender,
            components.claims,
            components.settings.stacks().serves(),
            runner,
            components.ticker);
    workflows.handOver(handOver);
    if (components.environment.driver().startsAtOnce()) {
      components.client.handOver(handOver);
    }
    for (Lane lane : all) {
      Starter starter = starter(lane, sender, rules, runner);
      Driver.Driven<Claimer> claimer =
          components.drive(
              waker -> new Claimer(lane, sender, rules, runner, starter, polling.role(), waker));
      claiming.add(claimer);
      claimers.add(claimer.role());
      handOver.add(claimer.role(), workflows::isKnown);
    }
    claiming.add(polling);
    components.heldJobs.onSuspectGone(claimers::expectWork);
    Driver.Driven<WakeupSpread> spreading =
        components.drive(waker ->
            new WakeupSpread(
                components.clusterSize, claimers::expectWork, components.environment, waker));
    this.wakeups = spreading.role();
    claiming.add(spreading);
  }

  private Completers completers() {
    List<Completer> all = new ArrayList<>();
    for (Outcomes outcomes : workflows.outcomes) {
      Driver.Driven<Completer> driven =
          components.drive(waker ->
              new Completer(
                  outcomes,
                  components.store.claims(),
                  components.identity,
                  confirmed,
                  components.meters,
                  waker));
      completing.add(driven);
      all.add(driven.role());
    }
    return new Completers(all);
  }

  /**
   * Returns the role that reports failures to breakers; empty if no task of this node has a
   * breaker.
   */
  private Optional<BreakerReporter> breakerReporter(NodeDraft from) {
    Map<String, CircuitBreaker> breakers = from.breakers.of(components.tasks.names());
    if (breakers.isEmpty()) {
      return Optional.empty();
    }
    Driver.Driven<BreakerReporter> reporting =
        components.drive(waker ->
            new BreakerReporter(
                components.store.tasks(),
                components.taskRules,
                breakers,
                components.bus,
                components.telemetry,
                waker));
    watching.add(reporting);
    return Optional.of(reporting.role());
  }

  /** Returns what learns that attempts of this node have ended. */
  private BiConsumer<ClaimedJob, Finish> onEnded(Optional<BreakerReporter> breakerReporter) {
    BiConsumer<ClaimedJob, Finish> ended =
        (job, finish) -> {
          makeRoom(job);
          workflows.ended(job);
        };
    return breakerReporter.map(reporter -> ended.andThen(reporter::ended)).orElse(ended);
  }

  /**
   * Wakes the claimers when a job with a limit has ended. It makes room for another job, and no
   * released slot would show that.
   */
  private void makeRoom(ClaimedJob ended) {
    if (share != null && share.isCapped()) {
      claimers.expectWork();
    } else if (components.taskRules.isLimited(ended.task())
        || components.rules.of(ended.queue()).limit() != null) {
      claimers.expectWork(ended.queue());
    }
  }

  private Runner runner(NodeDraft from, Unreadable unreadable) {
    String node = components.settings.id();
    NotesWriter notes = notesWriter();
    NodeSecrets secrets = new NodeSecrets(from.secrets);
    ContextServices services =
        new ContextServices(
            node,
            components.ticker,
            components.client::childrenOf,
            components.drain,
            notes,
            new JournalServices(
                components.store.journals(),
                from.codec,
                outputs(from, JournalServices.LARGEST_ENTRY)),
            from.jobLogLines,
            secrets);
    FinishDecision decision =
        new FinishDecision(
            node,
            outputs(from, components.settings.resultLimit()),
            unreadable,
            components.environment,
            secrets);
    return new Runner(
        components.logs,
        new Spans(components.logs, from.telemetry, secrets),
        components.heldJobs,
        new HandlerCaller(components.tasks, from.codec, services, from.attemptInterceptors),
        timeoutWatcher(),
        new AttemptReporter(components.heldJobs, decision, notes, completers, components.telemetry),
        components.ticker);
  }

  private OutputEncoder outputs(NodeDraft from, int limit) {
    StepNames steps =
        new StepNames(components.store.runs().queries(), components.client.workflows());
    return new OutputEncoder(from.codec, limit, steps::describe, components.meters);
  }

  private TimeoutWatcher timeoutWatcher() {
    Driver.Driven<TimeoutWatcher> timing =
        components.drive(waker ->
            new TimeoutWatcher(
                components.settings.id(),
                components.heldJobs,
                completers,
                components.lost,
                components.settings.hung(),
                components.environment,
                waker));
    watching.add(timing);
    return timing.role();
  }

  private NotesWriter notesWriter() {
    Driver.Driven<NotesWriter> writing =
        components.drive(waker ->
            new NotesWriter(
                components.store.outcomes(), components.identity, components.heldJobs, waker));
    watching.add(writing);
    return writing.role();
  }

  private Starter starter(Lane lane, ClaimSender sender, ClaimRules rules, Runner runner) {
    OptionalInt prefetch = components.settings.of(lane.queue()).prefetch();
    Driver.Driven<Starter> starting =
        components.drive(
            waker -> new Starter(lane, prefetch, sender, rules, runner, completers, waker));
    if (prefetch.orElse(0) > 0) { // Otherwise every claimed job has started already.
      claiming.add(starting);
    }
    return starting.role();
  }
}
