package dev.holdfast.engine.node;

import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.intake.ServedQueues;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.schedule.Planner;
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

/**
 * The roles that any node plays for the whole cluster: staging due jobs, firing schedules, deleting
 * old rows, sampling.
 */
final class UpkeepRoles {
  private final NodeComponents ground;
  private final Optional<Registrar> registrar;
  final Stager stager;
  private final Scheduler scheduler;
  final List<Driver.Driven> threads = new ArrayList<>();

  UpkeepRoles(NodeBuilder from, NodeComponents ground) {
    this.ground = ground;
    this.stager =
        new Stager(
            ground.store.staging(),
            ground.bus,
            ground.ticker,
            ground.crowd,
            ground.environment.random(),
            ground.spans);
    keep(ground.driveWhileEnabled(stager));
    this.scheduler =
        new Scheduler(
            ground.store.schedules(),
            ground.bus,
            ground.settings.id(),
            ground.ticker,
            ground.environment.ids(),
            ground.environment.random(),
            ground.crowd,
            ground.spans);
    keep(ground.driveWhileEnabled(scheduler));
    keep(
        ground.driveWhileEnabled(
            new Housekeeper(
                ground.store.upkeep(),
                ground.settings.retention(),
                ground.environment.random(),
                ground.ticker,
                ground.spans)));
    keep(
        ground.drive(
            new Sampler(
                ground.store.queues(),
                ground.settings.queues().keySet(),
                ground.meters,
                ground.crowd)));
    this.registrar = registrar(from);
    registrar.ifPresent(role -> keep(ground.driveWhileEnabled(role)));
    if (!ground.modes.isEnabled() && !from.triggers.isEmpty()) {
      keep(ground.driveWhileEnabled(new Declarer(ground.store.triggers(), from.triggers)));
    }
  }

  private void keep(Driver.Driven thread) {
    threads.add(thread);
  }

  /**
   * Returns the role that declares schedules. A node that declares none and has no explicit
   * application name gets none: it may be any program, and must not cancel the schedules of
   * another.
   */
  private Optional<Registrar> registrar(NodeBuilder from) {
    if (from.declared.isEmpty() && !from.namedApplication) {
      return Optional.empty();
    }
    Planner planner =
        new Planner(
            from.codec,
            from.client.payloadLimit(),
            JobOrigin.declared(ground.settings.stacks().stack()));
    return Optional.of(
        new Registrar(
            ground.store.schedules(),
            ground.bus,
            ground.identity::incarnation,
            from.application,
            from.declared.stream()
                .map(schedule -> planner.plan(schedule.apply(from.codec)))
                .toList(),
            ServedQueues.lenient(ground.store.queues())::check));
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
