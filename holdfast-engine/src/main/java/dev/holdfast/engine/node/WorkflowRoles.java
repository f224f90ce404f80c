package dev.holdfast.engine.node;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.finish.Completers;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.WhileEnabled;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.workflow.Advancer;
import dev.holdfast.engine.workflow.ExpressOutcomes;
import dev.holdfast.engine.workflow.HandOver;
import dev.holdfast.engine.workflow.LargeRuns;
import dev.holdfast.engine.workflow.Reconciler;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import dev.holdfast.engine.workflow.WorkflowRegistrar;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The roles that advance and repair runs. Any node plays them for the whole cluster. */
final class WorkflowRoles {
  private final NodeComponents components;
  final Advancer advancer;

  /** One for each completer: each remembers what its last call has advanced. */
  final List<ExpressOutcomes> outcomes;

  final List<Driver.Driven<?>> threads = new ArrayList<>();

  WorkflowRoles(NodeDraft from, NodeComponents components) {
    this.components = components;
    RunStore runs = components.store.runs();
    WorkflowCatalog catalog = components.client.workflows();
    RunPlanner planner = new LargeRuns(catalog.planner(), components.meters);
    this.outcomes =
        Stream.generate(() ->
                new ExpressOutcomes(
                    components.store.outcomes(),
                    runs.advance(),
                    catalog,
                    components.bus,
                    this::tellEnded))
            .limit(Completers.COUNT)
            .toList();
    this.advancer =
        whileEnabled(waker ->
            new Advancer(
                runs.advance(),
                () -> catalog.recorder(planner),
                components.bus,
                this::tellEnded,
                components.ticker,
                components.telemetry.spans(),
                waker));
    whileEnabled(
        waker -> new Reconciler(runs.repair(), advancer::expect, components.environment.random()));
    if (!from.declared.workflows.isEmpty()) {
      WorkflowRegistrar registrar =
          whileEnabled(waker -> new WorkflowRegistrar(catalog, from.declared.workflows));
      components.declared.add(registrar::isDone);
    }
  }

  /** Advances the run of a job that has ended here. */
  void ended(ClaimedJob job) {
    if (job.step() != null && outcomes.stream().noneMatch(each -> each.isAdvanced(job.id()))) {
      advancer.expect(job.step().run());
    }
  }

  /** Returns whether this node can plan what follows a job. */
  boolean isKnown(JobId job) {
    return outcomes.getFirst().isKnown(job);
  }

  /** Sets what starts the jobs that follow a step without a claim. */
  void handOver(HandOver to) {
    outcomes.forEach(each -> each.handOver(to));
  }

  /** Wakes those that await a run. */
  private void tellEnded(RunId run) {
    JobId id = new JobId(run.value());
    if (components.awaited.remove(id)) {
      components.bus.publish(new Signal.JobEnded(id));
    }
  }

  private <R extends Role> R whileEnabled(Function<Waker, R> role) {
    Driver.Driven<WhileEnabled<R>> driven =
        components.drive(waker -> new WhileEnabled<>(role.apply(waker), components.modes));
    threads.add(driven);
    return driven.role().role();
  }
}
