package dev.holdfast.engine.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.schedule.ScheduleWriter.Change;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Glance;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.engine.store.ScheduleStore.Standing;
import dev.holdfast.engine.store.ScheduleStore.Survey;
import dev.holdfast.engine.time.Moment;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the stored schedules of an application equal to those declared in code. The last node of an
 * old version may have been the only one that declared a schedule: so the registrar is woken when a
 * node leaves or a schedule changes, and checks again from time to time in case it missed the
 * signal. A check that finds everything as declared is one statement.
 */
public final class Registrar implements Role {
  private static final Logger log = LoggerFactory.getLogger(Registrar.class);
  private static final Duration ROUND = Duration.ofMinutes(2);

  /**
   * The minimum time between checks: a client that creates a thousand schedules wakes it a thousand
   * times.
   */
  private static final Duration BREATH = Duration.ofSeconds(1);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

  private final ScheduleStore store;
  private final ScheduleWriter writer;
  private final SignalBus bus;
  private final Supplier<UUID> incarnation;
  private final String application;
  private final Map<String, SchedulePlan> plans = new TreeMap<>();
  private final Map<String, String> fingerprints = new TreeMap<>();
  private final Set<String> warnedOf = new HashSet<>();
  private final Consumer<String> queueCheck;
  private final Set<String> queuesChecked = new HashSet<>();
  private final Waker waker;
  private volatile boolean done;
  private Moment notBefore = new Moment(Long.MIN_VALUE);

  /**
   * Creates the registrar of a node.
   *
   * @param incarnation supplies the current incarnation of this node
   * @param application the application that declares the schedules
   * @param declared the schedules that its code declares
   * @param queueCheck warns about queues that no node serves
   */
  public Registrar(
      ScheduleStore store,
      SignalBus bus,
      Supplier<UUID> incarnation,
      String application,
      Collection<SchedulePlan> declared,
      Consumer<String> queueCheck,
      Waker waker) {
    this.store = store;
    this.writer = new ScheduleWriter(store);
    this.bus = bus;
    this.incarnation = incarnation;
    this.application = application;
    this.queueCheck = queueCheck;
    for (SchedulePlan plan : declared) {
      if (plans.put(plan.id(), plan) != null) {
        throw new IllegalArgumentException(
            "Schedule '%s' is declared twice: use a different id for each.".formatted(plan.id()));
      }
      fingerprints.put(plan.id(), Planner.fingerprint(plan));
    }
    this.waker = waker;
  }

  @Override
  public String name() {
    return "registrar";
  }

  /** Returns whether all schedules have been stored as declared. */
  public boolean isDone() {
    return done;
  }

  /** Checks again, since declarations or stored schedules may have changed. */
  public void lookAgain() {
    waker.wake();
  }

  @Override
  public Moment tick(Moment now) {
    if (now.isBefore(notBefore)) {
      return notBefore;
    }
    notBefore = now.plus(BREATH);
    boolean again = false;
    try {
      // Declare before looking for undeclared schedules: otherwise two nodes that start at once
      // could each cancel what the other is about to declare.
      UUID me = incarnation.get();
      Survey survey = store.declare(me, application, fingerprints);
      for (String id : DeclarationDiff.ruledBy(fingerprints, survey.live())) {
        again |= !settled(id, survey.kept().get(id));
      }
      if (DeclarationDiff.leavesOver(application, survey)) {
        cancelUndeclared(me);
      }
      done |= !again;
    } catch (StoreException failure) {
      log.warn(
          "Declared schedules could not be checked, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      return now.plus(AFTER_FAILURE);
    }
    return now.plus(again ? AFTER_FAILURE : ROUND);
  }

  private void cancelUndeclared(UUID me) {
    List<String> gone = store.cancelUndeclared(me, application);
    if (!gone.isEmpty()) {
      log.info(
          "Cancelled schedules {}: no live node of application '{}' declares them any more",
          gone,
          application);
    }
  }

  /**
   * Registers a schedule, unless it is stored as declared. A schedule that cannot be registered
   * must not keep the others from being registered.
   *
   * @return false if it is worth retrying soon
   */
  private boolean settled(String id, @Nullable Standing standing) {
    SchedulePlan plan = plans.get(id);
    String fingerprint = fingerprints.get(id);
    if (plan == null || fingerprint == null) {
      return true;
    }
    Declared mine = new Declared(application, fingerprint);
    try {
      if (standing != null && mine.equals(standing.declared())) {
        if (standing.over()) {
          warnOfNoMore(plan);
        }
      } else {
        register(plan, mine);
      }
    } catch (StoreException failure) {
      log.error(
          "Declared schedule '{}' could not be registered, retrying at the next check: {}",
          id,
          failure.getMessage());
      return failure.outcome() == StoreException.Outcome.REFUSED;
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException wrong) {
      log.error(
          "Declared schedule '{}' could not be registered, retrying at the next check: {}",
          id,
          wrong.getMessage());
      return true;
    }
    // Not earlier: now this node is registered, so its own queues count as served.
    if (queuesChecked.add(plan.job().queue())) {
      queueCheck.accept(plan.job().queue());
    }
    return true;
  }

  private void register(SchedulePlan plan, Declared mine) {
    PutResult result = writer.change(plan.id(), glance -> decide(plan, mine, glance));
    if (result != PutResult.UNCHANGED) {
      log.info("Schedule '{}' was {}: {}", plan.id(), result, plan.recurrence().timing());
      bus.publish(new Signal.SchedulesChanged());
    }
  }

  private Change<PutResult> decide(SchedulePlan plan, Declared mine, Glance glance) {
    Kept kept = glance.kept().orElse(null);
    if (kept != null && mine.equals(kept.draft().declared())) {
      return new Change<>(
          null, PutResult.UNCHANGED); // It may have been cancelled: it stays cancelled.
    }
    Declared owner = kept == null ? mine : kept.draft().declared();
    if (owner == null || !owner.application().equals(application)) {
      if (warnedOf.add(plan.id())) {
        log.error(
            "Schedule '{}' belongs to {} and is not changed: use another id for the one that"
                + " application '{}' declares.",
            plan.id(),
            owner == null ? "a client" : "application '%s'".formatted(owner.application()),
            application);
      }
      return new Change<>(null, PutResult.UNCHANGED);
    }
    Change<PutResult> change = ScheduleWriter.put(plan, mine, glance);
    Draft draft = change.draft();
    if (draft != null && draft.nextFire() == null) {
      warnOfNoMore(plan);
    }
    return change;
  }

  private void warnOfNoMore(SchedulePlan plan) {
    if (!warnedOf.add(plan.id())) {
      return;
    }
    Recurrence recurrence = plan.recurrence();
    log.warn(
        "Schedule '{}' is declared but has no further due time ({}, end: {}): use a later end or"
            + " another timing, or remove the declaration.",
        plan.id(),
        recurrence.timing(),
        recurrence.until() == null ? "none" : recurrence.until());
  }
}
