package dev.holdfast.engine.node;

import dev.holdfast.engine.intake.ServedQueues;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.WhileEnabled;
import dev.holdfast.engine.schedule.Registrar;
import dev.holdfast.engine.schedule.Scheduler;
import dev.holdfast.engine.trigger.Declarer;
import dev.holdfast.engine.upkeep.Housekeeper;
import dev.holdfast.engine.upkeep.Sampler;
import dev.holdfast.engine.upkeep.Stager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The roles that any node plays for the whole cluster: staging due jobs, firing schedules, deleting
 * old rows, sampling.
 */
final class UpkeepRoles {
  /** In one of many tenants, upkeep must not delay the work for which the node has come. */
  private static final Duration AFTER_WORK = Duration.ofSeconds(30);

  private final NodeComponents components;
  private final Optional<Registrar> registrar;
  final Stager stager;
  private final Scheduler scheduler;
  final List<Driver.Driven<?>> threads = new ArrayList<>();

  UpkeepRoles(NodeDraft from, NodeComponents components) {
    this.components = components;
    this.stager =
        whileEnabled(waker ->
            new Stager(
                components.store.staging(),
                components.bus,
                components.environment,
                components.clusterSize,
                components.telemetry.spans(),
                waker));
    this.scheduler =
        whileEnabled(waker ->
            new Scheduler(
                components.store.schedules(),
                components.bus,
                components.settings.id(),
                components.environment,
                components.clusterSize,
                components.telemetry.spans(),
                waker));
    whileEnabled(waker ->
        new Housekeeper(
            components.store.upkeep(),
            components.settings.retention(),
            components.environment.random(),
            components.ticker,
            components.telemetry.spans(),
            components.isPart ? AFTER_WORK : Duration.ZERO));
    threads.add(
        components.drive(waker ->
            new Sampler(
                components.store.queues(),
                components.settings.queues().keySet(),
                components.meters,
                components.clusterSize)));
    this.registrar = registrar(from);
    registrar.ifPresent(role -> components.declared.add(role::isDone));
    if (!components.modes.isEnabled() && !from.declared.triggers.isEmpty()) {
      whileEnabled(waker -> new Declarer(components.store.triggers(), from.declared.triggers));
    }
  }

  /** Adds a role that a disabled node does not play. */
  private <R extends Role> R whileEnabled(Function<Waker, R> role) {
    Driver.Driven<WhileEnabled<R>> driven =
        components.drive(waker -> new WhileEnabled<>(role.apply(waker), components.modes));
    threads.add(driven);
    return driven.role().role();
  }

  /**
   * Returns the role that declares schedules. A node that declares none and has no explicit
   * application name gets none: it may be any program, and must not cancel the schedules of
   * another.
   */
  private Optional<Registrar> registrar(NodeDraft from) {
    if (!from.declared.hasSchedules() && !from.namedApplication) {
      return Optional.empty();
    }
    return Optional.of(
        whileEnabled(waker ->
            new Registrar(
                components.store.schedules(),
                components.bus,
                components.identity::incarnation,
                from.application,
                from.plans(),
                ServedQueues.lenient(components.store.queues())::check,
                waker)));
  }

  /** Notes that schedules have changed, or may have. */
  void schedulesChanged() {
    scheduler.lookAgain();
    declareAgain();
  }

  /** Declares the schedules of this node again, since they may belong to no live incarnation. */
  void declareAgain() {
    registrar.ifPresent(Registrar::lookAgain);
  }

  /** Checks for due jobs and schedules, because signals may have been missed. */
  void lookAgain() {
    stager.expect(Duration.ZERO, true);
    schedulesChanged();
  }
}
